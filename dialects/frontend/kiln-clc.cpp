// The OpenCL C compiler: `kiln-clc [options of clBuildProgram] in.cl -o out.spv`, or `kiln-clc --serve=...` for
// libkiln.
#include "base/protocol/BuildOptions.h"
#include "base/protocol/Zygote.h"
#include "dialects/frontend/Extensions.h"
#include "dialects/frontend/FrontEnd.h"
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace {
using namespace kiln;

constexpr char Usage[] =
    "usage: kiln-clc [options] in.cl -o out.spv\n"
    "  in.cl, out.spv       '-' is standard input, standard output\n"
    "  --emit=spirv|llvm    output: SPIR-V (default), or LLVM IR as text\n"
    "  --extensions=a,b     extensions and features to compile for: cl_khr_*, __opencl_c_*, and __image_support;\n"
    "                       default: all\n"
    "  --request=FILE       repeat a request of libkiln: request.bin of a kept crash\n"
    "  and every option of clBuildProgram: -D -I -cl-std= -cl-fast-relaxed-math -Werror -g ...\n";

wire::Bytes serveRequest(const wire::Bytes &bytes) {
  protocol::CompileRequest request;
  protocol::CompileReply reply;
  if (wire::unpack(bytes, request))
    reply = frontend::compile(request);
  else
    reply.log = "kiln-clc: malformed request";
  reply.libraries = kiln::zygote::libraries();
  return wire::pack(reply);
}

/// Compiles a kernel that initialises those parts of Clang and the translator that most kernels use.
void warmUpBuild() {
  protocol::CompileRequest request;
  request.source = "struct pair { float4 a; int b; };\n"
                   "float twice(float x) { return mad(x, 2.0f, sin(x)); }\n"
                   "kernel void warm(global float *out, const global float *in, local float *t, int n) {\n"
                   "  int i = get_global_id(0); t[get_local_id(0)] = in[i]; struct pair p = {(float4)(i), n};\n"
                   "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                   "  for (int k = 0; k < n; ++k) p.a.xy += convert_float2(vload2(k, in) * t[k]);\n"
                   "  if (i < p.b) out[i] = twice(p.a.x) + atomic_add((volatile global int *)out, 1);\n"
                   "}\n";
  request.options = {"-cl-std=CL1.2"};
  request.extensions = frontend::allExtensions();
  frontend::compile(request);
}

std::vector<std::string> splitByComma(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin)
      parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool readAll(const std::string &path, std::string &text) {
  std::ifstream file;
  if (path != "-")
    file.open(path, std::ios::binary);
  std::istream &in = path == "-" ? std::cin : file;
  text.assign(std::istreambuf_iterator<char>(in), {});
  return bool(in);
}

bool writeAll(const std::string &path, const wire::Bytes &bytes) {
  std::ofstream file;
  if (path != "-")
    file.open(path, std::ios::binary | std::ios::trunc);
  std::ostream &out = path == "-" ? std::cout : file;
  out.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.flush();
  return bool(out);
}

int printError(std::string_view sentence) {
  std::cerr << "kiln-clc: " << sentence << "\n";
  return 1;
}

/// Compiles a request of libkiln, without the zygote. The file may come from elsewhere, so its options are checked as
/// those of the command line: Clang has others, which load plug-ins and write files.
int repeatRequest(const std::string &path) {
  std::string content;
  auto refuse = [](const std::string &sentence) { return printError(sentence), protocol::NotRepeated; };
  if (!readAll(path, content))
    return refuse("cannot read " + path);
  protocol::CompileRequest request;
  if (!wire::unpack(wire::Bytes(content.begin(), content.end()), request))
    return refuse(path + " is not a request of this build of Kiln");
  // libkiln's own option, of KILN_LINES and its like: it changes names in debug information only.
  std::erase_if(request.options, [](const std::string &option) { return option.starts_with("-fdebug-prefix-map="); });
  auto options = parseBuildOptions(request.options, BuildStep::Compile);
  if (!options.ok())
    return refuse(path + ": " + std::string(options.message()));
  request.options = options->frontEnd;
  protocol::CompileReply reply = frontend::compile(request);
  std::cerr << reply.log;
  return reply.ok ? 0 : 1;
}

int commandLine(const std::vector<std::string> &words) {
  std::string input, output = "-";
  auto emit = frontend::Emit::Spirv;
  protocol::CompileRequest request;
  request.extensions = frontend::allExtensions();
  std::vector<std::string> options;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (word == "--help")
      return std::cout << Usage, 0;
    if (word == "-o" && i + 1 < words.size())
      output = words[++i];
    else if (word.starts_with("--request="))
      return repeatRequest(word.substr(strlen("--request=")));
    else if (word == "--emit=spirv" || word == "--emit=llvm")
      emit = word == "--emit=llvm" ? frontend::Emit::Llvm : frontend::Emit::Spirv;
    else if (word.starts_with("--extensions="))
      request.extensions = splitByComma(word.substr(strlen("--extensions=")));
    else if ((word == "-D" || word == "-I") && i + 1 < words.size())
      options.insert(options.end(), {word, words[++i]});
    else if (word != "-" && word.starts_with("-"))
      options.push_back(word);
    else if (input.empty())
      input = word;
    else
      return printError(input.insert(0, "more than one source: ").append(" and ").append(word));
  }
  if (input.empty())
    return std::cerr << Usage, 1;
  auto parsed = parseBuildOptions(options, BuildStep::Compile);
  if (!parsed.ok())
    return printError(parsed.message());
  request.options = parsed->frontEnd;
  if (!readAll(input, request.source))
    return printError("cannot read " + input);
  std::error_code failed;
  std::string here = std::filesystem::current_path(failed).string();
  request.options.push_back(
      std::string("-fdebug-prefix-map=").append(frontend::EmbeddedFolder).append("=").append(here));
  if (input != "-") // like C compilers: the source's folder is the first include folder
    request.options.insert(request.options.begin(),
                           {"-iquote", std::filesystem::absolute(input).parent_path().string()});

  protocol::CompileReply reply = frontend::compile(request, input == "-" ? "<stdin>" : input, emit);
  std::cerr << reply.log;
  if (!reply.ok)
    return 1;
  return writeAll(output, reply.spirv) ? 0 : printError("cannot write " + output);
}

} // namespace

int main(int argc, char **argv) {
  if (auto serving = kiln::zygote::invocation(argc, argv))
    return kiln::zygote::serve(*serving, serveRequest, {nullptr, warmUpBuild});
  return commandLine({argv + 1, argv + argc});
}
