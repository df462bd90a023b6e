// Colours of words: keywords, numbers, names and comments of each language.

const WORDS = {
  c: /^(?:__kernel|kernel|__global|global|__local|local|__constant|constant|__private|private|const|restrict|volatile|void|if|else|for|while|do|return|switch|case|default|break|continue|struct|union|enum|typedef|static|inline|unsigned|signed|bool|(?:u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)?|size_t|image\w*_t|sampler_t)$/,
  spirv: /^Op\w+$/,
  mlir: /^(?:[a-z_]+\.[\w.]+|module|attributes|true|false|to|step|iter_args|else|do)$/,
  llvm: /^(?:define|declare|call|ret|br|switch|load|store|getelementptr|add|sub|mul|[us]div|[us]rem|f(?:add|sub|mul|div|neg|cmp|rem)|icmp|select|phi|and|or|xor|shl|[la]shr|[sz]ext|trunc|bitcast|extractelement|insertelement|shufflevector|alloca|fpext|fptrunc|[su]itofp|fpto[su]i|inttoptr|ptrtoint|to|label|tail|nuw|nsw|inbounds|align)$/,
};
const COMMENT = {c: "//", mlir: "//", spirv: ";", llvm: ";", ptx: "//", asm: "#"};
const TOKEN = /"(?:[^"\\]|\\.)*"|[%@$^][\w.$#]*|\b\d[\w.]*|[A-Za-z_.][\w.]*/g;

/// Fills `out` with the words of a line in their colours.
function colour(out, code, language) {
  out.textContent = "";
  let comment = code.indexOf(COMMENT[language] || "//");
  if (comment < 0 && language === "asm") comment = code.search(/; |\/\/ /); // AMD's and others
  const end = comment < 0 ? code.length : comment;
  let at = 0;
  const isOpcode = language === "asm" || language === "ptx";
  TOKEN.lastIndex = 0;
  for (let found; at < end && (found = TOKEN.exec(code)) && found.index < end; ) {
    const word = found[0], first = word[0];
    let kind = "";
    if (first === '"') kind = "c";
    else if ("%@$^".includes(first)) kind = "v";
    else if (first >= "0" && first <= "9") kind = "n";
    else if (isOpcode ? code.slice(0, found.index).trim() === "" : WORDS[language] && WORDS[language].test(word)) kind = "w";
    if (!kind) continue;
    if (found.index > at) out.append(code.slice(at, found.index));
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = code.slice(found.index, Math.min(end, found.index + word.length));
    out.append(span);
    at = found.index + span.textContent.length;
  }
  if (end > at) out.append(code.slice(at, end));
  if (comment >= 0) {
    const span = document.createElement("span");
    span.className = "c";
    span.textContent = code.slice(end);
    out.append(span);
  }
}
