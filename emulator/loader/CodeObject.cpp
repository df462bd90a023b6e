#include "emulator/loader/CodeObject.h"
#include "base/support/Status.h"
#include "emulator/decode/Decode.h"
#include "emulator/loader/Metadata.h"
#include "emulator/machine/AddressSpace.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ObjectFile.h"
#include <cstring>
#include <sys/mman.h>

namespace kiln::emulator {
namespace {

using File = llvm::object::ELFFile<llvm::object::ELF64LE>;

constexpr size_t Page = 4096;

std::string reasonOf(llvm::Error error) { return llvm::toString(std::move(error)); }

/// The size of a file in memory, from its headers: hipModuleLoadData is not given it.
size_t fileBytes(const void *image) {
  llvm::ELF::Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  size_t bytes = std::max(header.e_shoff + u64(header.e_shnum) * header.e_shentsize,
                          header.e_phoff + u64(header.e_phnum) * header.e_phentsize);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    llvm::ELF::Elf64_Shdr section;
    std::memcpy(&section, static_cast<const u8 *>(image) + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != llvm::ELF::SHT_NOBITS)
      bytes = std::max<size_t>(bytes, section.sh_offset + section.sh_size);
  }
  return bytes;
}

unsigned granulatedRegisters(const KernelCode &kernel, const Gpu &gpu) {
  using namespace llvm::amdhsa;
  const unsigned granules =
      AMDHSA_BITS_GET(kernel.descriptor.compute_pgm_rsrc1, COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT);
  const bool wide = gpu.generation >= 10 ? kernel.waveSize == 32 : gpu.packedWorkItemIds; // gfx90a and gfx94x
  return (granules + 1) * (wide ? 8 : 4);
}

} // namespace

std::unique_ptr<CodeObject> CodeObject::load(const void *image, const Gpu &gpu, std::string &error) {
  if (std::memcmp(image, llvm::ELF::ElfMagic, 4) != 0) {
    error = "it is not an ELF file";
    return nullptr;
  }
  std::unique_ptr<CodeObject> object(new CodeObject(gpu));
  if (!object->read(image, error))
    return nullptr;
  return object;
}

CodeObject::~CodeObject() {
  if (!memory_)
    return;
  addressSpace().remove(memory_);
  munmap(memory_, memoryBytes_);
}

bool CodeObject::read(const void *image, std::string &error) {
  auto file = File::create(llvm::StringRef(static_cast<const char *>(image), fileBytes(image)));
  if (!file)
    return error = reasonOf(file.takeError()), false;
  const auto &header = file->getHeader();
  if (header.e_machine != llvm::ELF::EM_AMDGPU || header.e_type != llvm::ELF::ET_DYN)
    return error = "it is not a shared object for AMDGPU", false;
  auto programHeaders = file->program_headers();
  auto sections = file->sections();
  if (!programHeaders || !sections) {
    llvm::consumeError(programHeaders.takeError());
    llvm::consumeError(sections.takeError());
    return error = "its headers are damaged", false;
  }

  for (const auto &segment : *programHeaders)
    if (segment.p_type == llvm::ELF::PT_LOAD)
      memoryBytes_ = std::max<size_t>(memoryBytes_, segment.p_vaddr + segment.p_memsz);
  memoryBytes_ = (memoryBytes_ + Page - 1) / Page * Page;
  void *memory = memoryBytes_ ? mmap(nullptr, memoryBytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                              : MAP_FAILED;
  if (memory == MAP_FAILED)
    return error = "there is no memory for it", false;
  memory_ = static_cast<u8 *>(memory);
  base_ = u64(memory_);
  for (const auto &segment : *programHeaders)
    if (segment.p_type == llvm::ELF::PT_LOAD)
      std::memcpy(memory_ + segment.p_vaddr, file->base() + segment.p_offset, segment.p_filesz);
  addressSpace().add(memory_, memoryBytes_, false);

  const typename File::Elf_Shdr *symbolTable = nullptr, *dynamicSymbols = nullptr;
  for (const auto &section : *sections) {
    if (section.sh_type == llvm::ELF::SHT_SYMTAB)
      symbolTable = &section;
    if (section.sh_type == llvm::ELF::SHT_DYNSYM)
      dynamicSymbols = &section;
    if (auto name = file->getSectionName(section); !name)
      return error = reasonOf(name.takeError()), false;
    else if (*name == ".debug_line")
      lineTable_.assign(static_cast<const char *>(image), fileBytes(image));
    if (section.sh_flags & llvm::ELF::SHF_EXECINSTR) {
      if (codeBegin_)
        return error = "it has two sections of code", false;
      codeBegin_ = base_ + section.sh_addr;
      places_.resize(section.sh_size / 4);
    }
  }
  for (const auto &section : *sections) {
    if (section.sh_type == llvm::ELF::SHT_REL && (section.sh_flags & llvm::ELF::SHF_ALLOC))
      return error = "its relocations have no addends", false;
    if (section.sh_type != llvm::ELF::SHT_RELA || !(section.sh_flags & llvm::ELF::SHF_ALLOC))
      continue;
    auto relocations = file->relas(section);
    if (!relocations)
      return error = reasonOf(relocations.takeError()), false;
    for (const auto &relocation : *relocations) {
      u64 value = u64(relocation.r_addend) + base_;
      const u32 type = relocation.getType(false);
      if (type == llvm::ELF::R_AMDGPU_ABS64) {
        auto symbol = file->getRelocationSymbol(relocation, dynamicSymbols);
        if (!symbol)
          return error = reasonOf(symbol.takeError()), false;
        if (!*symbol || !(*symbol)->isDefined())
          return error = "it refers to a symbol that it does not define", false;
        value += (*symbol)->st_value;
      } else if (type != llvm::ELF::R_AMDGPU_RELATIVE64) {
        return error = text("its relocation of type ", type, " is not supported"), false;
      }
      if (relocation.r_offset > memoryBytes_ - sizeof value)
        return error = "a relocation is outside of its memory", false;
      std::memcpy(memory_ + relocation.r_offset, &value, sizeof value);
    }
  }

  for (const auto *table : {dynamicSymbols, symbolTable}) {
    if (!table)
      continue;
    auto symbols = file->symbols(table);
    auto strings = file->getStringTableForSymtab(*table);
    if (!symbols || !strings) {
      llvm::consumeError(symbols.takeError());
      llvm::consumeError(strings.takeError());
      return error = "its symbol table is damaged", false;
    }
    for (const auto &symbol : *symbols) {
      auto name = symbol.getName(*strings);
      if (!name)
        return error = reasonOf(name.takeError()), false;
      if (symbol.getType() == llvm::ELF::STT_FUNC && symbol.isDefined())
        functions_.push_back({name->str(), base_ + symbol.st_value, base_ + symbol.st_value + symbol.st_size});
      if (table != dynamicSymbols || !name->ends_with(".kd") || !symbol.isDefined())
        continue;
      KernelCode kernel;
      kernel.name = name->drop_back(3).str();
      std::memcpy(&kernel.descriptor, memory_ + symbol.st_value, sizeof kernel.descriptor);
      kernel.entry = base_ + symbol.st_value + u64(kernel.descriptor.kernel_code_entry_byte_offset);
      const unsigned properties = kernel.descriptor.kernel_code_properties;
      kernel.waveSize =
          gpu_.generation >= 10 && (properties & llvm::amdhsa::KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32) ? 32 : 64;
      kernel.vectorRegisters = granulatedRegisters(kernel, gpu_);
      if (gpu_.generation == 9) // two granules of 8 at a time
        kernel.scalarRegisters = (AMDHSA_BITS_GET(kernel.descriptor.compute_pgm_rsrc1,
                                                  llvm::amdhsa::COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT) /
                                      2 +
                                  1) *
                                 16;
      if (gpu_.generation == 9 && gpu_.packedWorkItemIds)
        kernel.accumulatorOffset =
            (AMDHSA_BITS_GET(kernel.descriptor.compute_pgm_rsrc3, llvm::amdhsa::COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET) +
             1) *
            4;
      kernels_[kernel.name] = std::move(kernel);
    }
  }
  return readMetadata(image, error);
}

bool CodeObject::readMetadata(const void *image, std::string &error) {
  auto file = llvm::cantFail(File::create(llvm::StringRef(static_cast<const char *>(image), fileBytes(image))));
  std::vector<KernelMetadata> metadata;
  std::string processor;
  for (const auto &segment : llvm::cantFail(file.program_headers())) {
    if (segment.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error problem = llvm::Error::success();
    for (const auto &note : file.notes(segment, problem))
      if (note.getName() == "AMDGPU" && note.getType() == llvm::ELF::NT_AMDGPU_METADATA &&
          !parseMetadata(note.getDescAsStringRef(segment.p_align), metadata, processor))
        error = "its metadata is damaged";
    if (problem)
      error = reasonOf(std::move(problem));
  }
  if (!error.empty())
    return false;
  if (processor != gpu_.name)
    return error = text("it is for ", processor.empty() ? "an unknown processor" : processor, ", the device is ",
                        gpu_.name),
           false;
  for (KernelMetadata &one : metadata)
    if (auto found = kernels_.find(one.name); found != kernels_.end()) {
      found->second.maxGroupSize = one.maxGroupSize;
      found->second.usedVectors = one.vectorRegisters;
      found->second.usedScalars = one.scalarRegisters;
      found->second.arguments = std::move(one.arguments);
      found->second.hidden = std::move(one.hidden);
    }
  return true;
}

const KernelCode *CodeObject::kernel(const std::string &name) const {
  auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : &found->second;
}

std::string CodeObject::functionName(u64 address) const {
  for (const Function &function : functions_)
    if (address >= function.begin && address < function.end)
      return function.name;
  return "?";
}

std::string CodeObject::sourceLine(u64 address) const {
  if (lineTable_.empty())
    return {};
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(lineTable_, "code object"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return {};
  }
  const std::unique_ptr<llvm::DWARFContext> dwarf = llvm::DWARFContext::create(**object);
  const llvm::object::SectionedAddress place{address - base_, llvm::object::SectionedAddress::UndefSection};
  const std::optional<llvm::DILineInfo> line = dwarf->getLineInfoForAddress(place);
  return line && line->Line ? text(line->FileName, ":", line->Line) : std::string();
}

void CodeObject::decode() {
  Lock lock(mutex_);
  if (decoded_)
    return;
  decoded_ = true;
  // All kernels of an object have one wave size, because they share functions.
  const unsigned waveSize = kernels_.empty() ? gpu_.waveSize : kernels_.begin()->second.waveSize;
  const std::unique_ptr<Disassembler> disassembler = Disassembler::create(gpu_.name, waveSize);
  const u8 *code = memory_ + (codeBegin_ - base_);
  const size_t size = places_.size() * 4;
  for (size_t at = 0; at < size;) {
    std::unique_ptr<Instruction> instruction =
        decodeInstruction({code + at, size - at}, codeBegin_ + at, *disassembler);
    places_[at / 4] = instruction.get();
    at += instruction->bytes;
    instructions_.push_back(std::move(instruction));
  }
}

} // namespace kiln::emulator
