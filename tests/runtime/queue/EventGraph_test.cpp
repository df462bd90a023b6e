// The graph alone: nodes without devices, queues or commands.
#include "base/support/Ref.h"
#include "runtime/queue/EventGraph.h"
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace kiln;

namespace {

class Node final : public Object, public EventNode {
public:
  Node(std::string label, std::vector<std::string> &order)
      : Object(ObjectKind::Event), EventNode(CL_QUEUED), label_(std::move(label)), order_(order) {}
  const char *name() const override { return label_.c_str(); }

  /// Ends the adding of edges. Returns true if the node is ready already.
  bool enqueue() { return countDown(); }
  void complete(cl_int status = CL_COMPLETE) {
    status_.store(uint32_t(status));
    resolveComplete(status);
  }
  /// What onReady does, after the node has been listed.
  std::function<void()> whenReady;
  uint64_t end = 0;

private:
  void incNodeRef() noexcept override { incRef(); }
  void decNodeRef() noexcept override { decRef(); }
  void onReady() noexcept override {
    order_.push_back(label_);
    if (whenReady)
      whenReady();
  }
  uint64_t endTime() const noexcept override { return end; }
  const std::string label_;
  std::vector<std::string> &order_;
};

class GraphNodes : public ::testing::Test {
protected:
  Ref<Node> node(std::string label) { return make<Node>(std::move(label), order); }
  /// Adds one edge.
  static void link(Node &dependent, Node &dependency, WaitUntil until = WaitUntil::Complete,
                   EdgePolicy policy = EdgePolicy::WaitListError) {
    dependent.reserveEdges(1);
    dependent.dependOn(dependency, until, policy);
  }
  std::vector<std::string> order; // of the nodes that became ready
};

constexpr cl_int WaitFailed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

} // namespace

TEST_F(GraphNodes, ANodeWithoutEdgesIsReadyAtOnce) {
  EXPECT_TRUE(node("a")->enqueue());
  EXPECT_TRUE(order.empty()) << "onReady is for nodes that become ready after their enqueue";
}

TEST_F(GraphNodes, TheLastDependencyMakesReady) {
  Ref<Node> a = node("a"), b = node("b"), c = node("c");
  link(*c, *a);
  link(*c, *b);
  EXPECT_FALSE(c->enqueue());
  b->complete();
  EXPECT_TRUE(order.empty());
  a->complete();
  EXPECT_EQ(order, std::vector<std::string>{"c"});
  EXPECT_EQ(c->failure(), 0);
}

TEST_F(GraphNodes, DependentsBecomeReadyInTheOrderOfTheirEdges) {
  Ref<Node> a = node("a");
  std::vector<Ref<Node>> dependents;
  std::vector<std::string> expected;
  for (int i = 0; i < 5; ++i) {
    expected.push_back(std::to_string(i));
    dependents.push_back(node(expected.back()));
    link(*dependents.back(), *a);
    EXPECT_FALSE(dependents.back()->enqueue());
  }
  a->complete();
  EXPECT_EQ(order, expected);
}

TEST_F(GraphNodes, AnEdgeToACompleteNodeIsNotCounted) {
  Ref<Node> a = node("a"), b = node("b");
  a->complete();
  link(*b, *a);
  EXPECT_TRUE(b->enqueue());
}

// Each policy, with an edge that is there when the dependency fails and one that is added after that.
TEST_F(GraphNodes, FailuresFollowThePolicy) {
  const std::pair<EdgePolicy, cl_int> cases[] = {
      {EdgePolicy::IgnoreFailure, 0}, {EdgePolicy::WaitListError, WaitFailed}, {EdgePolicy::PropagateCode, -77}};
  for (WaitUntil until : {WaitUntil::Complete, WaitUntil::Nothing, WaitUntil::End})
    for (auto [policy, expected] : cases) {
      Ref<Node> a = node("a"), before = node("before"), after = node("after");
      link(*before, *a, until, policy);
      EXPECT_EQ(before->enqueue(), until != WaitUntil::Complete);
      a->complete(-77);
      link(*after, *a, until, policy);
      EXPECT_TRUE(after->enqueue());
      EXPECT_EQ(before->failure(), expected);
      EXPECT_EQ(after->failure(), expected);
    }
}

// The second list: it is closed by the issue, which passes on only failures that are known by then.
// It is ready, but does not end before: neither on its own stream, where it runs, nor if the dependency fails.
TEST_F(GraphNodes, TheEndWaitsForDependencies) {
  Ref<Node> a = node("a"), b = node("b"), c = node("c"), late = node("late");
  a->end = 7, b->end = 5;
  link(*c, *a, WaitUntil::End, EdgePolicy::WaitListError);
  link(*c, *b, WaitUntil::End, EdgePolicy::IgnoreFailure);
  EXPECT_TRUE(c->enqueue());
  EXPECT_TRUE(c->hasUnendedDependency());
  a->complete();
  EXPECT_TRUE(c->hasUnendedDependency());
  EXPECT_EQ(c->endOfDependencies(), 7u);
  b->complete(-5);
  EXPECT_FALSE(c->hasUnendedDependency());
  EXPECT_EQ(c->endOfDependencies(), 7u);
  EXPECT_EQ(c->failure(), 0);
  link(*late, *a, WaitUntil::End);
  link(*late, *b, WaitUntil::End);
  EXPECT_TRUE(late->enqueue());
  EXPECT_FALSE(late->hasUnendedDependency());
  EXPECT_EQ(late->endOfDependencies(), 7u);
  EXPECT_EQ(late->failure(), WaitFailed);
}

TEST_F(GraphNodes, DependentsOfAnIssueDoNotWaitForTheEnd) {
  Ref<Node> a = node("a"), b = node("b"), late = node("late"), c = node("c");
  link(*b, *a, WaitUntil::Issued);
  link(*c, *a);
  EXPECT_FALSE(b->enqueue());
  EXPECT_FALSE(c->enqueue());
  a->resolveIssued();
  EXPECT_TRUE(order.empty()) << "the caller may hold locks";
  ReadyList::drain();
  EXPECT_EQ(order, std::vector<std::string>{"b"});
  link(*late, *a, WaitUntil::Issued);
  EXPECT_TRUE(late->enqueue());
  a->complete(-5);
  EXPECT_EQ(order, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(b->failure(), 0);
  EXPECT_EQ(c->failure(), WaitFailed);
}

TEST_F(GraphNodes, AFailedIssueFailsItsDependents) {
  Ref<Node> a = node("a"), b = node("b"), late = node("late");
  link(*b, *a, WaitUntil::Issued);
  EXPECT_FALSE(b->enqueue());
  a->setFailure(-5);
  a->resolveIssued();
  ReadyList::drain();
  link(*late, *a, WaitUntil::Issued);
  EXPECT_EQ(b->failure(), WaitFailed);
  EXPECT_EQ(late->failure(), WaitFailed);
}

// A ready node may wait again, for bytes that are being transferred.
TEST_F(GraphNodes, ACountCanBeRestarted) {
  Ref<Node> a = node("a"), b = node("b"), more = node("more");
  link(*b, *a);
  EXPECT_FALSE(b->enqueue());
  b->whenReady = [&, first = true]() mutable {
    if (!std::exchange(first, false))
      return;
    b->restartCount();
    link(*b, *more);
    EXPECT_FALSE(b->countDown());
  };
  a->complete();
  more->complete();
  EXPECT_EQ(order, (std::vector<std::string>{"b", "b"}));
}

// Nothing recurses: a long chain of nodes, each completed by its own onReady, needs constant stack.
TEST_F(GraphNodes, AChainIsALoop) {
  constexpr size_t Length = 100'000;
  std::vector<Ref<Node>> chain;
  size_t deepest = 0, depth = 0;
  for (size_t i = 0; i < Length; ++i) {
    chain.push_back(node(""));
    Node &self = *chain.back();
    if (i)
      link(self, *chain[i - 1]);
    EXPECT_EQ(self.enqueue(), i == 0);
    self.whenReady = [&] {
      deepest = std::max(deepest, ++depth);
      self.complete();
      --depth;
    };
  }
  chain.front()->complete();
  EXPECT_EQ(order.size(), Length - 1);
  EXPECT_EQ(deepest, 1u);
}

// The dependency's list holds a reference to the dependent, whose edge it names.
TEST_F(GraphNodes, AListKeepsItsDependentsAlive) {
  Ref<Node> a = node("a");
  {
    Ref<Node> b = node("b");
    link(*b, *a);
    EXPECT_FALSE(b->enqueue());
  }
  a->complete();
  EXPECT_EQ(order, std::vector<std::string>{"b"});
}

// Edges that were taken keep their addresses when more are reserved, and a reservation is not used up by another one.
TEST(EdgesOfANode, AreStable) {
  EdgeStorage edges;
  EXPECT_FALSE(edges.isReserved());
  std::vector<Edge *> taken;
  size_t reserved = 0;
  for (size_t count : {1, 1, 3, 0, 40, 2, 7}) {
    edges.reserve(count);
    reserved += count;
    if (count != 3)
      for (; reserved > count / 2; --reserved)
        taken.push_back(&edges.take());
  }
  for (; reserved; --reserved)
    taken.push_back(&edges.take());
  EXPECT_FALSE(edges.isReserved());
  for (size_t i = 0; i < taken.size(); ++i)
    taken[i]->next = taken[i];
  EXPECT_EQ(taken.size(), 54u);
  for (Edge *edge : taken)
    EXPECT_EQ(edge->next, edge);
}
