// What can be enqueued: a command of one of the kinds in CommandKinds.h.
#pragma once
#include "runtime/queue/CommandKinds.h"
#include <type_traits>

namespace kiln {

class Command {
  // libstdc++ makes a switch of the destruction and the moves of a std::variant for up to eleven alternatives, and a
  // call through a table of functions beyond. So the rarer kinds share the last alternative.
  using Rare = std::variant<NativeKernel, CopyMemory, FillMemory, MigrateMemory, MapMemory, NoOpCommand, FreeMemory,
                            RecordedCommands>;
  using Kinds = std::variant<Marker, ReadBuffer, WriteBuffer, CopyBuffer, FillBuffer, MapBuffer, UnmapMem, NDRange,
                             Migrate, Transfer, Rare>;
  static_assert(std::variant_size_v<Kinds> <= 11 &&
                std::is_same_v<std::variant_alternative_t<std::variant_size_v<Kinds> - 1, Kinds>, Rare>);

  template <typename Kind, typename List> static constexpr bool IsIn = false;
  template <typename Kind, typename... All>
  static constexpr bool IsIn<Kind, std::variant<All...>> = (std::is_same_v<Kind, All> || ...);
  template <typename Kind> static constexpr bool IsRare = IsIn<Kind, Rare>;

  /// Compares the index with each in turn, which becomes one jump in the caller. std::visit would call a function.
  template <size_t Index = 0, typename List, typename Visit>
  [[gnu::always_inline]] static decltype(auto) visitIn(List &kinds, Visit &visit) {
    if constexpr (Index + 1 == std::variant_size_v<Kinds>) {
      return std::visit(visit, *std::get_if<Rare>(&kinds));
    } else {
      if (kinds.index() == Index)
        return visit(*std::get_if<Index>(&kinds));
      return visitIn<Index + 1>(kinds, visit);
    }
  }

public:
  template <typename Kind>
    requires(IsIn<std::decay_t<Kind>, Kinds> && !std::is_same_v<std::decay_t<Kind>, Rare>)
  Command(Kind &&kind) : kinds_(std::in_place_type<std::decay_t<Kind>>, std::forward<Kind>(kind)) {}
  template <typename Kind>
    requires(IsRare<std::decay_t<Kind>>)
  Command(Kind &&kind)
      : kinds_(std::in_place_type<Rare>, std::in_place_type<std::decay_t<Kind>>, std::forward<Kind>(kind)) {}

  /// The command if it is of this kind, else null.
  template <typename Kind> Kind *as() {
    if constexpr (!IsRare<Kind>) {
      return std::get_if<Kind>(&kinds_);
    } else {
      auto *rare = std::get_if<Rare>(&kinds_);
      return rare ? std::get_if<Kind>(rare) : nullptr;
    }
  }
  template <typename Kind> const Kind *as() const { return const_cast<Command *>(this)->as<Kind>(); }

  /// Calls `visit` with the command as its kind. It returns the same type for each kind.
  template <typename Visit> [[gnu::always_inline]] decltype(auto) visit(Visit visit) { return visitIn(kinds_, visit); }
  template <typename Visit> [[gnu::always_inline]] decltype(auto) visit(Visit visit) const {
    return visitIn(kinds_, visit);
  }

  cl_command_type commandType() const;
  uint64_t expectedNanoseconds() const {
    return visit([](const auto &kind) { return kind.expectedNanoseconds(); });
  }
  /// Carries the command out through the issuer, which is of a stream of the device.
  Status issue(Issuer &issuer, const DeviceObject &device);
  /// Calls `visit` with each NodeUse of the command. `own` is the node of the command's device.
  template <typename Visit> void forEachUse(MemoryNode own, Visit each) {
    NodeUses<Visit &> uses{own, each};
    visit([&](auto &kind) { kind.forEachUse(uses); });
  }
  /// Calls `each` with each kernel launch of the command.
  template <typename Visit> void forEachLaunch(Visit each) {
    if (auto *range = as<NDRange>())
      return each(range->launch);
    if (auto *recorded = as<RecordedCommands>())
      for (RecordedCommand &one : recorded->commands)
        if (auto *range = std::get_if<NDRange>(&one))
          each(range->launch);
  }
  /// Releases the command's objects. It is a marker then.
  void clear() { kinds_ = Marker{false}; }

private:
  Kinds kinds_;
};

/// A name for the log and the trace.
const char *commandName(cl_command_type type);

} // namespace kiln
