#include "core/engine/parallel/rank_channel.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "core/base/json_reader.h"
#include "core/engine/parallel/socket.h"

namespace braid {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds between_tries{100};  // to reach rank 0

std::string seconds_text(milliseconds time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

std::string host_name() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

Error loss(std::string message) {
    return {.kind = ErrorKind::unavailable,
            .message = std::move(message),
            .hint = "The run can be resumed from its last checkpoint, with any number of ranks"};
}

struct Peer {
    Socket socket = {};
    std::string who = {};  // "rank 1 (process 4711 on node2)"
    Clock::time_point heard = {};
    bool joined = false;
    bool left = false;
    std::deque<std::string> texts = {};
};

}  // namespace

struct RankChannel::Impl {
    RankPlace place;
    std::string build;
    RankLimits limits;
    Clock::time_point opened = Clock::now();

    mutable std::mutex mutex;
    std::condition_variable changed;
    std::vector<Peer> peers;  // by rank; of other ranks than 0: rank 0 alone
    Socket listener;
    std::vector<Socket> unknown;  // came, and have not said hello yet
    std::string last_try;         // why rank 0 was not reached
    std::optional<Error> lost;
    Clock::time_point lost_at = {};
    bool told = false;  // rank 0 knows why the run has failed
    bool left = false;
    bool dismissed = false;
    bool closing = false;
    std::function<void(const Error&)> last_act;
    int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    std::thread watcher;

    bool is_first() const { return place.rank == 0; }
    std::size_t joined() const {
        return static_cast<std::size_t>(
            std::count_if(peers.begin(), peers.end(), [](const Peer& peer) { return peer.joined; }));
    }
    bool complete() const { return joined() + (is_first() ? 1 : 0) == peers.size(); }

    // All below with the mutex held.
    void lose(Error error) {
        if (lost || left || dismissed) return;
        if (is_first())
            for (Peer& peer : peers) peer.socket.send({.kind = FrameKind::leave, .text = describe(error)});
        lost = std::move(error);
        lost_at = Clock::now();
        changed.notify_all();
    }

    void take_hello(Socket socket, const Frame& frame) {
        if (frame.kind != FrameKind::hello) return;  // nobody of ours
        Diagnostics problems;
        const Json json = Json::parse(frame.text, nullptr, /*allow_exceptions=*/false);
        JsonReader reader(json, "", problems);
        std::int64_t rank = -1, size = 0, process = 0;
        std::string their_build, host;
        reader.integer("rank", rank);
        reader.integer("size", size);
        reader.integer("process", process);
        reader.text("build", their_build);
        reader.text("host", host);
        if (!problems.empty()) return;
        std::string who = "rank " + std::to_string(rank);
        who.append(" (process ").append(std::to_string(process)).append(" on ").append(host).append(")");
        const auto refuse = [&](const std::string& why) {
            Error error{.kind = ErrorKind::invalid_input, .message = who + " " + why};
            socket.send({.kind = FrameKind::leave, .text = describe(error)});
            lose(std::move(error));
        };
        if (their_build != build)
            return refuse("is another build of Braid: " + their_build + "; rank 0 is " + build);
        if (size != place.size)
            return refuse("was started as one of " + std::to_string(size) + " ranks, rank 0 as one of " +
                          std::to_string(place.size));
        if (rank < 1 || rank >= place.size || peers[static_cast<std::size_t>(rank)].joined)
            return refuse("came, but rank 0 has that rank already");
        Peer& peer = peers[static_cast<std::size_t>(rank)];
        peer = {.socket = std::move(socket), .who = who, .heard = Clock::now(), .joined = true};
        if (complete())
            for (Peer& each : peers) each.socket.send({.kind = FrameKind::welcome});
        changed.notify_all();
    }

    void take(Peer& peer, Frame frame) {
        peer.heard = Clock::now();
        if (frame.kind == FrameKind::welcome) {
            peer.joined = true;
        } else if (frame.kind == FrameKind::text) {
            peer.texts.push_back(std::move(frame.text));
        } else if (frame.kind == FrameKind::leave) {
            peer.left = true;
            told = !frame.text.empty();
            if (!frame.text.empty())
                lose({.kind = ErrorKind::unavailable,
                      .message = is_first() ? peer.who + ": " + frame.text : frame.text});
        }
        changed.notify_all();
    }

    void listen_to(Peer& peer) {
        if (!peer.socket.open()) return;
        std::vector<Frame> frames;
        const bool goes_on = peer.socket.receive(frames);
        for (Frame& frame : frames) take(peer, std::move(frame));
        if (!goes_on) {
            peer.socket.close();
            if (!peer.left) lose(loss(peer.who + " ended without a word"));
            peer.left = true;
            changed.notify_all();
        } else if (const auto silent = std::chrono::duration_cast<milliseconds>(Clock::now() - peer.heard);
                   silent > limits.silence && !peer.left) {
            lose(loss(peer.who + " has been silent for " + seconds_text(silent)));
        }
    }

    void listen_to_newcomers() {
        while (std::optional<Socket> came = listener.accept()) unknown.push_back(std::move(*came));
        std::vector<Socket> still_unknown;
        for (Socket& socket : unknown) {
            std::vector<Frame> frames;
            const bool goes_on = socket.receive(frames);
            if (!frames.empty())
                take_hello(std::move(socket), frames.front());
            else if (goes_on)
                still_unknown.push_back(std::move(socket));
        }
        unknown = std::move(still_unknown);
    }

    // Any other rank than 0: until it is there, or closing.
    void reach_first(std::unique_lock<std::mutex>& lock) {
        while (!closing) {
            lock.unlock();
            Result<Socket> socket = Socket::connect(place.master, place.port, limits.heartbeat);
            lock.lock();
            if (socket) {
                Peer& first = peers.front();
                first.socket = std::move(*socket);
                first.heard = Clock::now();
                const Json hello = {{"rank", place.rank},
                                    {"size", place.size},
                                    {"build", build},
                                    {"process", ::getpid()},
                                    {"host", host_name()}};
                if (first.socket.send({.kind = FrameKind::hello, .text = hello.dump()})) return;
                first.socket.close();
            } else {
                last_try = socket.error().message;
            }
            changed.wait_for(lock, between_tries, [this] { return closing; });
        }
    }

    void wait_for_traffic(std::unique_lock<std::mutex>& lock, milliseconds limit) {
        std::vector<pollfd> waiting = {{.fd = wake, .events = POLLIN, .revents = 0}};
        const auto add = [&waiting](const Socket& socket) {
            if (socket.open()) waiting.push_back({.fd = socket.descriptor(), .events = POLLIN, .revents = 0});
        };
        add(listener);
        for (const Socket& socket : unknown) add(socket);
        for (const Peer& peer : peers) add(peer.socket);
        lock.unlock();
        ::poll(waiting.data(), waiting.size(), static_cast<int>(limit.count()));
        lock.lock();
    }

    void watch() {
        std::unique_lock lock(mutex);
        if (!is_first()) reach_first(lock);
        Clock::time_point beat = Clock::now();
        while (!closing) {
            wait_for_traffic(lock, limits.heartbeat);
            if (listener.open()) listen_to_newcomers();
            for (Peer& peer : peers) listen_to(peer);
            if (Clock::now() - beat >= limits.heartbeat) {
                beat = Clock::now();
                for (Peer& peer : peers)
                    if (peer.socket.open() && !left) peer.socket.send({.kind = FrameKind::heartbeat});
            }
            if (lost && !left && last_act && Clock::now() - lost_at > limits.grace) {
                const Error error = *lost;
                const auto act = last_act;
                lock.unlock();
                act(error);
                std::_Exit(1);
            }
        }
    }

    void must_go_on() const {
        if (lost) throw RanksEnded(*lost);
    }

    ~Impl() {
        if (watcher.joinable()) {
            {
                const std::lock_guard lock(mutex);
                closing = true;
            }
            changed.notify_all();
            [[maybe_unused]] const int rc = ::eventfd_write(wake, 1);
            watcher.join();
        }
        ::close(wake);
    }
};

RankChannel::RankChannel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)), place_(impl_->place) {}

RankChannel::~RankChannel() { leave(""); }

Result<std::unique_ptr<RankChannel>> RankChannel::open(const RankPlace& place, const std::string& build,
                                                       RankLimits limits) {
    auto impl = std::make_unique<Impl>();
    impl->place = place;
    impl->build = build;
    impl->limits = limits;
    if (place.rank == 0) {
        Result<Socket> listener = Socket::listen(place.master, place.port);
        if (!listener) return fail(std::move(listener.error()));
        impl->listener = std::move(*listener);
        impl->peers.resize(static_cast<std::size_t>(place.size));
    } else {
        impl->peers.resize(1);
        impl->peers.front().who = "rank 0 (" + place.master + ":" + std::to_string(place.port) + ")";
    }
    impl->watcher = std::thread([raw = impl.get()] { raw->watch(); });
    return std::unique_ptr<RankChannel>(new RankChannel(std::move(impl)));
}

Result<void> RankChannel::wait_for_all(const std::function<std::optional<Error>()>& failed) {
    Impl& m = *impl_;
    std::unique_lock lock(m.mutex);
    while (!m.complete() && !m.lost) {
        if (Clock::now() - m.opened > m.limits.join) {
            if (!m.is_first() && !m.peers.front().socket.open())
                return fail(ErrorKind::unavailable,
                            "rank 0 was not reached at " + place_.master + ":" + std::to_string(place_.port) +
                                " within " + seconds_text(m.limits.join) + ": " + m.last_try,
                            {}, "Check MASTER_ADDR and MASTER_PORT, and that rank 0 was started");
            std::string missing;
            for (std::size_t rank = 1; rank < m.peers.size(); ++rank)
                if (!m.peers[rank].joined)
                    missing.append(missing.empty() ? "" : ", ").append(std::to_string(rank));
            if (missing.empty()) missing = "others";
            m.lose({.kind = ErrorKind::unavailable,
                    .message = "of " + std::to_string(place_.size) + " ranks, " + missing +
                               " did not come within " + seconds_text(m.limits.join),
                    .hint = "Check that they were started and can reach " + place_.master + ":" +
                            std::to_string(place_.port)});
            break;
        }
        m.changed.wait_for(lock, between_tries);
        if (!failed || m.complete() || m.lost) continue;
        lock.unlock();
        std::optional<Error> error = failed();
        lock.lock();
        if (error) m.lose(std::move(*error));
    }
    if (m.lost) return fail(*m.lost);
    return {};
}

void RankChannel::tell(const std::string& text) {
    const std::lock_guard lock(impl_->mutex);
    impl_->must_go_on();
    for (Peer& peer : impl_->peers)
        if (peer.joined && !peer.socket.send({.kind = FrameKind::text, .text = text}))
            impl_->lose(loss(peer.who + " does not answer"));
    impl_->must_go_on();
}

std::string RankChannel::hear() {
    std::unique_lock lock(impl_->mutex);
    Peer& first = impl_->peers.front();
    impl_->changed.wait(lock, [&] { return !first.texts.empty() || impl_->lost || first.left; });
    impl_->must_go_on();
    if (first.texts.empty()) throw RanksEnded(loss(first.who + " has ended"));
    std::string text = std::move(first.texts.front());
    first.texts.pop_front();
    return text;
}

std::vector<std::string> RankChannel::gather(const std::string& text) {
    std::unique_lock lock(impl_->mutex);
    impl_->must_go_on();
    if (!impl_->is_first()) {
        if (!impl_->peers.front().socket.send({.kind = FrameKind::text, .text = text}))
            throw RanksEnded(loss(impl_->peers.front().who + " does not answer"));
        return {};
    }
    std::vector<std::string> texts = {text};
    for (std::size_t rank = 1; rank < impl_->peers.size(); ++rank) {
        Peer& peer = impl_->peers[rank];
        impl_->changed.wait(lock, [&] { return !peer.texts.empty() || impl_->lost || peer.left; });
        impl_->must_go_on();
        if (peer.texts.empty()) throw RanksEnded(loss(peer.who + " has ended"));
        texts.push_back(std::move(peer.texts.front()));
        peer.texts.pop_front();
    }
    return texts;
}

std::int64_t RankChannel::sum(std::int64_t number) {
    std::int64_t total = 0;
    for (const std::string& text : gather(std::to_string(number))) total += std::stoll(text);
    if (place_.rank != 0) return std::stoll(hear());
    tell(std::to_string(total));
    return total;
}

void RankChannel::check() const {
    const std::lock_guard lock(impl_->mutex);
    impl_->must_go_on();
}

std::optional<Error> RankChannel::ended() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->lost;
}

void RankChannel::leave(const std::string& reason) {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->left) return;
    impl_->left = true;
    for (Peer& peer : impl_->peers) {
        if (!peer.socket.open()) continue;
        // After a loss the others know the reason already.
        const bool says = !impl_->lost || !impl_->is_first();
        if (says && peer.socket.send({.kind = FrameKind::leave, .text = reason}) && !reason.empty())
            impl_->told = true;
        ::shutdown(peer.socket.descriptor(), SHUT_WR);
    }
    if (!reason.empty() && !impl_->lost)
        impl_->lost = Error{.kind = ErrorKind::unavailable, .message = reason};
}

bool RankChannel::rank_0_knows() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->is_first() || impl_->told;
}

void RankChannel::dismiss() {
    const std::lock_guard lock(impl_->mutex);
    impl_->dismissed = true;
}

void RankChannel::on_hang(std::function<void(const Error&)> last_act) {
    const std::lock_guard lock(impl_->mutex);
    impl_->last_act = std::move(last_act);
}

}  // namespace braid
