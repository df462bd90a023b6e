// Objects that many incRef. Each has two counts: the one that clRetain* and clRelease* move and that queries report,
// and the one that decides its life, which everything inside Kiln holds through Ref<T>. As long as the first is above
// zero it holds one of the second.
#pragma once
#include <atomic>
#include <cassert>
#include <cstdint>
#include <utility>

namespace kiln {

/// Says what a handle points to; checked on every entry to the API. Values are unlikely in other memory.
enum class ObjectKind : uint32_t {
  Dead = 0x6b640000,
  Platform,
  Device,
  Context,
  Queue,
  DeviceQueue,
  Memory,
  Program,
  Kernel,
  Event,
  Sampler,
};

class Object {
public:
  explicit Object(ObjectKind kind) : kind_(kind) {}
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;

  ObjectKind kind() const { return kind_; }

  /// clRetain*: the application's count.
  void retain() {
    if (handles_.fetch_add(1, std::memory_order_relaxed) == 0) {
      hadHandle_.store(true, std::memory_order_relaxed);
      incRef();
    }
  }
  /// clRelease*: false when the count was zero already.
  bool release() {
    uint32_t count = handles_.load(std::memory_order_relaxed);
    do {
      if (count == 0)
        return false;
    } while (!handles_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel));
    if (count == 1) {
      lastHandleReleased();
      decRef();
    }
    return true;
  }
  uint32_t referenceCount() const { return handles_.load(std::memory_order_relaxed); }

  /// Lifetime; used by Ref.
  void incRef() { lifetime_.fetch_add(1, std::memory_order_relaxed); }
  /// False for an object that is being destroyed.
  bool incRefIfAlive() {
    uint32_t count = lifetime_.load(std::memory_order_relaxed);
    while (count && !lifetime_.compare_exchange_weak(count, count + 1, std::memory_order_acquire)) {
    }
    return count;
  }
  void decRef() {
    if (lifetime_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
  }

protected:
  virtual ~Object() {
    // Through volatile: nobody is known to read it again.
    *static_cast<volatile ObjectKind *>(&kind_) = ObjectKind::Dead;
  }
  /// The application let go of its last handle; the object may live on inside Kiln.
  virtual void lastHandleReleased() {}
  /// Nobody holds the object any more.
  virtual void destroy();

private:
  ObjectKind kind_;
  std::atomic<uint32_t> handles_{0};
  std::atomic<uint32_t> lifetime_{0};
  std::atomic<bool> hadHandle_{false};
};

/// Shared ownership of an Object. A new object has no handle yet: `handle()` gives the application its first.
template <typename T> class Ref {
public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  Ref(T *object) : object_(object) {
    if (object_)
      object_->incRef();
  }
  Ref(const Ref &other) : Ref(other.object_) {}
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U> Ref(const Ref<U> &other) : Ref(other.get()) {}
  template <typename U> Ref(Ref<U> &&other) noexcept : object_(other.leak()) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_)
      object_->decRef();
  }
  /// From a list that objects take themselves off when they are destroyed, under the list's lock: null when one is on
  /// its way there.
  static Ref ifAlive(T *object) {
    Ref held;
    if (object->incRefIfAlive())
      held.object_ = object;
    return held;
  }

  T *get() const { return object_; }
  T *operator->() const { return object_; }
  T &operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref &a, const Ref &b) { return a.object_ == b.object_; }

  /// Gives up ownership without dropping it.
  T *leak() { return std::exchange(object_, nullptr); }
  /// The object as the application gets it: one more handle, which clRelease* gives back.
  T *handle() const {
    object_->retain();
    return object_;
  }

private:
  T *object_ = nullptr;
};

template <typename T, typename... Args> Ref<T> make(Args &&...args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

} // namespace kiln
