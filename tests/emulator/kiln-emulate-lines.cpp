// Executes lines of assembly on an emulated wave with one active lane, for compare_with_pseudo_code.py.
//
//   kiln-emulate-lines gfx942 < input
//
// A line of the input is an instruction, ';', and registers: "v_add_u32_e32 v0, v2, v4 ; v2=1 v4=ff s0=0 scc=1". Scalar
// and vector registers are 32 bits wide, vcc has the lane's bit. The output has v0, v1, s0, s1, vcc's bit and scc after
// each instruction, or the text of the fault.
#include "tests/emulator/OneWave.h"
#include <iostream>
#include <sstream>

using namespace kiln::emulator;

namespace {

void setRegister(OneWave &one, const std::string &name, u32 value) {
  if (name == "scc")
    one.wave.scc = value;
  else if (name == "vcc")
    one.wave.setScalarPair(Vcc, value);
  else if (name[0] == 'v')
    one.wave.vector(unsigned(std::stoul(name.substr(1))))[0] = value;
  else
    one.wave.setScalar(unsigned(std::stoul(name.substr(1))), value);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: kiln-emulate-lines PROCESSOR < input\n";
    return 2;
  }
  OneWave one(argv[1]);
  one.wave.setScalarPair(Exec, 1);
  std::cout << std::hex;
  for (std::string line; std::getline(std::cin, line);) {
    const size_t semicolon = line.find(" ; ");
    std::istringstream settings(semicolon == std::string::npos ? "" : line.substr(semicolon + 3));
    for (std::string setting; settings >> setting;) {
      const size_t equals = setting.find('=');
      setRegister(one, setting.substr(0, equals), u32(std::stoul(setting.substr(equals + 1), nullptr, 16)));
    }
    const std::string fault = one.fault(line.substr(0, semicolon));
    if (!fault.empty())
      std::cout << "fault " << fault << '\n';
    else
      std::cout << one.wave.vector(0)[0] << ' ' << one.wave.vector(1)[0] << ' ' << one.wave.scalar(0) << ' '
                << one.wave.scalar(1) << ' ' << (one.wave.vcc() & 1) << ' ' << one.wave.scc << '\n';
  }
}
