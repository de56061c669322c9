#include "tests/slurm/slurm_cluster.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>

namespace braid::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Ports that nobody listens on; all held at the same time, so that they differ.
std::vector<int> free_ports(std::size_t count) {
    std::vector<int> sockets, ports;
    for (std::size_t i = 0; i < count; ++i) {
        const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        ::bind(descriptor, reinterpret_cast<sockaddr*>(&address), size);
        ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
        sockets.push_back(descriptor);
        ports.push_back(ntohs(address.sin_port));
    }
    for (const int each : sockets) ::close(each);
    return ports;
}

std::string user_name() {
    const passwd* entry = ::getpwuid(::getuid());
    return entry == nullptr ? "root" : entry->pw_name;
}

std::string host_name() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    const std::string text = name.data();
    return text.substr(0, text.find('.'));
}

// Parents of all processes.
std::map<pid_t, pid_t> parents() {
    std::map<pid_t, pid_t> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream stat(entry.path() / "stat");
        std::string text((std::istreambuf_iterator<char>(stat)), {});
        const std::size_t end = text.rfind(')');
        if (end == std::string::npos) continue;
        std::istringstream rest(text.substr(end + 1));
        std::string state;
        pid_t parent = 0;
        rest >> state >> parent;
        found[static_cast<pid_t>(std::stol(name))] = parent;
    }
    return found;
}

std::set<pid_t> descendants(pid_t root) {
    const std::map<pid_t, pid_t> parent_of = parents();
    std::set<pid_t> found = {root};
    for (bool grew = true; grew;) {
        grew = false;
        for (const auto& [pid, parent] : parent_of)
            if (found.contains(parent) && found.insert(pid).second) grew = true;
    }
    found.erase(root);
    return found;
}

// Of a program that Slurm runs: the node it runs on.
std::string node_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
    std::string variable;
    while (std::getline(file, variable, '\0'))
        if (variable.starts_with("SLURMD_NODENAME=")) return variable.substr(16);
    return {};
}

std::string find_program(const std::string& name) {
    for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"})
        if (::access((folder + name).c_str(), X_OK) == 0) return folder + name;
    return {};
}

}  // namespace

std::unique_ptr<SlurmCluster> SlurmCluster::start(std::string& why) {
    std::map<std::string, std::string> programs;
    for (const char* name :
         {"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo", "srun"}) {
        programs[name] = find_program(name);
        if (programs[name].empty()) why = std::string("no ") + name + " (Debian: slurm-wlm munge)";
    }
    if (!why.empty()) return nullptr;
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what Slurm leaves behind is found among our descendants
    std::unique_ptr<SlurmCluster> cluster(new SlurmCluster(programs));
    const auto place = [&](const std::string& name) { return cluster->place_.path(name); };
    fs::permissions(cluster->place_.folder(), fs::perms::owner_all);
    std::ofstream(place("key"), std::ios::binary) << std::string(128, 'k');
    fs::permissions(place("key"), fs::perms::owner_read);
    cluster->write_conf();
    cluster->spawn("munged", {"--foreground", "--force", "--socket=" + place("munge"),
                              "--key-file=" + place("key"), "--pid-file=" + place("munged.pid"),
                              "--log-file=" + place("munged.log"), "--seed-file=" + place("seed")});
    if (!within(10s, [&] { return fs::exists(place("munge")); })) {
        why = "munged does not start";
        return nullptr;
    }
    cluster->spawn("slurmctld", {"-D", "-f", cluster->conf_});
    if (!cluster->start_node("node1") || !cluster->start_node("node2")) {
        std::ifstream log(place("slurmctld.log"));
        why = "the nodes of Slurm do not come up:\n" + std::string((std::istreambuf_iterator<char>(log)), {});
        return nullptr;
    }
    return cluster;
}

void SlurmCluster::write_conf() {
    // Its own folder has a blank and umlauts in its name, which Slurm's configuration cannot have.
    std::array<char, 64> name = {"/tmp/braid-slurm-XXXXXX"};
    const std::string folder = ::mkdtemp(name.data());
    conf_ = folder + "/slurm.conf";
    fs::create_directory_symlink(place_.folder(), folder + "/place");
    const std::string place = folder + "/place/";
    const std::vector<int> ports = free_ports(3);
    std::ofstream conf(conf_);
    conf << "ClusterName=braid\nSlurmctldHost=" << host_name() << "(127.0.0.1)\nSlurmctldPort=" << ports[0]
         << "\nSlurmUser=" << user_name() << "\nSlurmdUser=" << user_name()
         << "\nAuthType=auth/munge\nCredType=cred/munge\nAuthInfo=socket=" << place << "munge,cred_expire=5"
         << "\nSlurmdSpoolDir=" << place << "spool-%n\nStateSaveLocation=" << place
         << "state\nSlurmctldPidFile=" << place << "slurmctld.pid\nSlurmdPidFile=" << place
         << "slurmd-%n.pid\nSlurmctldLogFile=" << place << "slurmctld.log\nSlurmdLogFile=" << place
         << "slurmd-%n.log\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/"
            "cons_tres\n"
            "SelectTypeParameters=CR_CPU\nSlurmdTimeout=3\nKillWait=5\nMessageTimeout=5\nReturnToService=2\n"
            "SlurmdParameters=config_overrides\nSchedulerParameters=batch_sched_delay=0,sched_interval=1,"
            "bf_interval=1,sched_min_interval=0\nMpiDefault=none\nAccountingStorageType=accounting_storage/"
            "none\n"
            "JobAcctGatherType=jobacct_gather/none\nPartitionName=main Nodes=node1,node2 Default=YES "
            "MaxTime=60\n";
    for (std::size_t node = 1; node <= 2; ++node)
        conf << "NodeName=node" << node << " NodeHostname=" << host_name()
             << " NodeAddr=127.0.0.1 CPUs=2 Port=" << ports[node] << "\n";
    for (const char* part : {"spool-node1", "spool-node2", "state"}) fs::create_directories(place + part);
}

pid_t SlurmCluster::spawn(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {programs_.at(program)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string log = place_.path(program + ".out");
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // should the test be killed
        if (::getppid() != parent) ::_exit(1);
        const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(out, 1);
        ::dup2(out, 2);
        ::setenv("SLURM_CONF", conf_.c_str(), 1);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    return pid;
}

Finished SlurmCluster::call(const std::string& program, std::vector<std::string> arguments) const {
    return run(
        {.arguments = std::move(arguments), .environment = environment(), .program = programs_.at(program)});
}

bool SlurmCluster::is_idle(const std::string& node) const {
    const std::string state = call("sinfo", {"--noheader", "--nodes=" + node, "--format=%T"}).out;
    return state == "idle\n" || state == "mixed\n" || state == "allocated\n";
}

bool SlurmCluster::start_node(const std::string& node) {
    nodes_[node] = spawn("slurmd", {"-D", "-f", conf_, "-N", node});
    return within(20s, [&] { return is_idle(node); });
}

void SlurmCluster::kill_node(const std::string& node, Loss loss) {
    ::kill(nodes_.at(node), SIGKILL);
    ::waitpid(nodes_.at(node), nullptr, 0);
    if (loss == Loss::daemon) return;
    // The step daemons have no environment of the job; the parents of what has.
    const std::map<pid_t, pid_t> parent_of = parents();
    for (const pid_t pid : descendants(::getpid()))
        if (node_of(pid) == node) {
            if (const auto parent = parent_of.find(pid);
                parent != parent_of.end() && parent->second > 1 && parent->second != ::getpid())
                ::kill(parent->second, SIGKILL);
            ::kill(pid, SIGKILL);
        }
}

SlurmCluster::~SlurmCluster() {
    // Twice: what is killed may just have started another.
    for (int round = 0; round < 2; ++round) {
        for (const pid_t pid : descendants(::getpid())) ::kill(pid, SIGKILL);
        while (::waitpid(-1, nullptr, 0) > 0) {
        }
    }
    std::error_code ignored;
    if (!conf_.empty()) fs::remove_all(fs::path(conf_).parent_path(), ignored);
}

}  // namespace braid::testing
