// Reference-counted objects. Each has two counts: the reference count, which clRetain* and clRelease* change and
// queries return, and the lifetime count, which Ref<T> changes inside Kiln. While the reference count is above zero it
// holds one lifetime reference.
#pragma once
#include "base/support/HandleMemory.h"
#include <atomic>
#include <cassert>
#include <cstdint>
#include <utility>

namespace kiln {

/// Identifies the object behind a handle; checked on every API call. The values are unlikely in other memory.
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
  CommandBuffer,
  MutableCommand,
};

class Object {
public:
  explicit Object(ObjectKind kind) : kind_(kind) {}
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;

  static void *operator new(size_t size) { return handle_memory::acquire(size); }
  static void operator delete(void *memory, size_t size) { handle_memory::release(memory, size); }

  ObjectKind kind() const { return kind_; }

  /// clRetain*
  void retain() {
    if (handles_.fetch_add(1, std::memory_order_relaxed) == 0) {
      hadHandle_.store(true, std::memory_order_relaxed);
      incRef();
    }
  }
  /// clRelease*. Returns false if the count was zero already.
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

  /// Lifetime count; used by Ref.
  void incRef() { lifetime_.fetch_add(1, std::memory_order_relaxed); }
  /// Returns false if the object is being destroyed.
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
    // Volatile, or the compiler would remove the store as dead.
    *static_cast<volatile ObjectKind *>(&kind_) = ObjectKind::Dead;
  }
  /// The application released its last handle. Kiln may still hold the object.
  virtual void lastHandleReleased() {}
  /// The lifetime count reached zero.
  virtual void destroy() { delete this; }
  /// Returns true if the application has had a handle of this object.
  bool hadHandle() const { return hadHandle_.load(std::memory_order_relaxed); }

private:
  ObjectKind kind_;
  std::atomic<uint32_t> handles_{0};
  std::atomic<uint32_t> lifetime_{0};
  std::atomic<bool> hadHandle_{false};
};

/// Shared ownership of an Object. A new object has no handle; `handle()` adds the application's first.
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
  /// For lists that objects remove themselves from when they are destroyed; call with the list's lock. Returns null if
  /// the object is being destroyed.
  static Ref ifAlive(T *object) {
    Ref ref;
    if (object->incRefIfAlive())
      ref.object_ = object;
    return ref;
  }

  T *get() const { return object_; }
  T *operator->() const { return object_; }
  T &operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref &a, const Ref &b) { return a.object_ == b.object_; }

  /// Returns the object without decrementing its count.
  T *leak() { return std::exchange(object_, nullptr); }
  /// Returns the object as a handle for the application, with its reference count incremented.
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
