#include <algorithm>
#include <atomic>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <controller_interface/chainable_controller_interface.hpp>
#include <lifecycle_msgs/msg/state.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <rcl_interfaces/msg/set_parameters_result.hpp>
#include <rclcpp/rclcpp.hpp>
#include <std_srvs/srv/set_bool.hpp>

#include "load.hpp"
#include "robot_dynamics_controller/cycle.hpp"
#include "robot_dynamics_controller/parameters.hpp"

namespace robot_dynamics_controller
{

using controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;
using hardware_interface::CommandInterface;

namespace
{

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();
// The words of dynamics_node, in the order of State, Event and Target.
constexpr const char * state_names[] = {"SILENT", "TRACKING", "HOLDING", "REACTING", "STOPPING"};
constexpr const char * event_names[] = {
  "finished", "double_gravity", "stopped", "lost", "stale", "reaction", "ready"};
constexpr const char * target_names[] = {"nothing", "terms", "gravity", "zero"};
constexpr const char * term_names[] = {"gravity", "coriolis", "inertial", "friction"};

// From update to the log.
struct Status
{
  unsigned activation{0};  // number of it
  State state{};
  Event event{}, fault{};
  Target target{};
  bool lost{}, reacts{}, enabled{};
  std::size_t concerned{}, blamed{}, silent_joint{}, dropped{};
  Cycle::Far far{};

  auto key() const { return std::tie(activation, state, event, target, fault, lost, reacts, enabled); }
};

// One value for each joint: of none, of one for all, or of one for each.
Vector per_joint(const std::string & name, const Vector & given, const Vector & otherwise)
{
  const std::size_t k = otherwise.size();
  if (given.size() > 1 && given.size() != k) {
    throw std::runtime_error(
      name + " has " + std::to_string(given.size()) + " values: none, one for all joints or " +
      std::to_string(k) + ", in the order of joints, are allowed");
  }
  return given.empty() ? otherwise : given.size() > 1 ? given : Vector(k, given.front());
}

}  // namespace

// The torque of a dynamics library, added to the efforts of the controller before it in the chain.
class DynamicsFeedforwardController : public controller_interface::ChainableControllerInterface
{
public:
  CallbackReturn on_init() override
  {
    const CallbackReturn made =
      guarded([this] { listener_ = std::make_unique<ParamListener>(get_node()); });
    // Called before that of listener_, as it is registered later; not while mutex_ is held.
    judging_ = get_node()->add_on_set_parameters_callback(
      [this](const std::vector<rclcpp::Parameter> & given) { return judge(given); });
    applying_ = get_node()->add_post_set_parameters_callback(
      [this](const std::vector<rclcpp::Parameter> &) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (cycle_) {
          changed_settings_ = settings_of(listener_->get_params());
          changed_ = true;
        }
      });
    return made;
  }

  InterfaceConfiguration command_interface_configuration() const override
  {
    InterfaceConfiguration wanted{
      controller_interface::interface_configuration_type::INDIVIDUAL, {}};
    for (const std::string & joint : joints_) {
      wanted.names.push_back(joint + "/effort");
    }
    return wanted;
  }

  InterfaceConfiguration state_interface_configuration() const override
  {
    InterfaceConfiguration wanted{
      controller_interface::interface_configuration_type::INDIVIDUAL, {}};
    for (const std::string & joint : library_ ? library_->joint_names() : joints_) {
      wanted.names.push_back(joint + "/position");
    }
    for (const std::string & joint : joints_) {
      if (cycle_ && cycle_->needs_velocities()) {
        wanted.names.push_back(joint + "/velocity");
      }
    }
    return wanted;
  }

  CallbackReturn on_configure(const rclcpp_lifecycle::State &) override
  {
    return guarded([this] { configure(); });
  }

  CallbackReturn on_cleanup(const rclcpp_lifecycle::State &) override
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    timer_.reset();
    enable_service_.reset();
    cycle_.reset();
    library_.reset();
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_activate(const rclcpp_lifecycle::State &) override
  {
    // What the drives were commanded last: the first command equals it.
    Vector efforts;
    for (const auto & interface : command_interfaces_) {
      efforts.push_back(interface.get_optional().value_or(not_given));
    }
    clear_references();
    const std::chrono::duration<double> pause = std::chrono::steady_clock::now() - ended_;
    cycle_->start(efforts, pause.count());
    ++activation_;
    give(cycle_->effort());
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) override
  {
    clear_references();
    give(cycle_->end());
    ended_ = std::chrono::steady_clock::now();
    return CallbackReturn::SUCCESS;
  }

protected:
  // What the controller before this one writes: <this controller>/<joint>/effort, and so on.
  std::vector<CommandInterface::SharedPtr> on_export_reference_interfaces_list() override
  {
    std::vector<std::string> kinds{"effort"};
    if (cycle_->needs_velocities()) {
      kinds.insert(kinds.end(), {"position", "velocity", "acceleration"});
    }
    std::vector<CommandInterface::SharedPtr> exported;
    for (const std::string & kind : kinds) {
      for (const std::string & joint : joints_) {
        hardware_interface::InterfaceInfo information{};
        information.name = kind;
        information.data_type = "double";
        exported.push_back(std::make_shared<CommandInterface>(
          hardware_interface::InterfaceDescription(
            std::string(get_node()->get_name()) + "/" + joint, information)));
      }
    }
    return exported;
  }

  return_type update_reference_from_subscribers(
    const rclcpp::Time &, const rclcpp::Duration &) override
  {
    return return_type::OK;
  }

  return_type update_and_write_commands(
    const rclcpp::Time &, const rclcpp::Duration & period) override
  {
    if (std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock); lock && changed_) {
      cycle_->use(changed_settings_);
      changed_ = false;
    }
    if (const int wanted = wanted_.exchange(-1); wanted >= 0) {
      cycle_->enable(wanted > 0);
    }
    const auto measured = [this](std::size_t index) {
        return state_interfaces_[index].get_optional().value_or(not_given);
      };
    const std::size_t n = positions_.size(), k = joints_.size();
    for (std::size_t i = 0; i < n; ++i) {
      positions_[i] = measured(i);
    }
    for (std::size_t j = 0; j < k && cycle_->needs_velocities(); ++j) {
      velocities_[j] = measured(n + j);
    }
    Vector * const references[] = {
      &reference_.effort, &reference_.position, &reference_.velocity, &reference_.acceleration};
    for (std::size_t i = 0; i < ordered_exported_reference_interfaces_.size(); ++i) {
      (*references[i / k])[i % k] =
        ordered_exported_reference_interfaces_[i]->get_optional().value_or(not_given);
    }
    cycle_->update(positions_, velocities_, reference_, period.seconds());
    give(cycle_->effort());
    // After a fault, in SILENT, the manager deactivates this controller and those before it.
    const bool failed = cycle_->fault() != Event::ready || cycle_->lost();
    return failed && cycle_->state() == State::silent ? return_type::ERROR : return_type::OK;
  }

private:
  void clear_references()
  {
    for (const auto & interface : ordered_exported_reference_interfaces_) {
      (void)interface->set_value(not_given);
    }
  }

  // Commands to the drives, and the state to the log.
  void give(const Vector & efforts)
  {
    for (std::size_t j = 0; j < joints_.size() && cycle_->state() != State::silent; ++j) {
      (void)command_interfaces_[j].set_value(efforts[j]);
    }
    if (std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock); lock) {
      status_ = {
        activation_, cycle_->state(), cycle_->event(), cycle_->fault(), cycle_->target(),
        cycle_->lost(), cycle_->reacts(), cycle_->enabled(), cycle_->concerned(),
        cycle_->blamed(), cycle_->silent_joint(), cycle_->dropped(), cycle_->far()};
    }
  }

  // What it throws is logged.
  template <typename Function> CallbackReturn guarded(const Function & function)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    try {
      function();
      return CallbackReturn::SUCCESS;
    } catch (const std::exception & error) {
      RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
      return CallbackReturn::FAILURE;
    }
  }

  void configure()
  {
    const Params parameters = listener_->get_params();
    cycle_.reset();
    library_ = load_library(parameters.dynamics_library, get_robot_description());
    indices_ = library_->indices_of(parameters.joints);
    joints_.clear();
    for (const std::size_t index : indices_) {
      joints_.push_back((*library_)->joint_names[index]);
    }
    const Settings settings = settings_of(parameters);
    cycle_.emplace(*library_, indices_, settings);
    status_.silent_joint = status_.dropped = library_->size();
    status_.far.k = joints_.size();
    reported_ = status_;
    changed_ = false;
    positions_.resize(library_->size());
    const Vector none(joints_.size(), not_given);
    velocities_ = none;
    reference_ = {none, none, none, none};
    using SetBool = std_srvs::srv::SetBool;
    enable_service_ = get_node()->create_service<SetBool>(
      "~/enable",
      [this](const SetBool::Request::SharedPtr request, SetBool::Response::SharedPtr response) {
        response->success =
          get_lifecycle_id() == lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE;
        wanted_ = response->success ? request->data : wanted_.load();
        response->message = !response->success ? "the controller is not active"
          : request->data ? "torque enabled, a fault is acknowledged" : "fading to on_stop";
      });
    timer_ = get_node()->create_wall_timer(std::chrono::milliseconds(100), [this] { report(); });
    std::vector<std::string> summed;
    for (std::size_t term = 0; term < term_count; ++term) {
      summed.insert(summed.end(), settings.terms[term], term_names[term]);
    }
    RCLCPP_INFO(
      get_node()->get_logger(), "dynamics library of %s for [%s], mode %s, summed are [%s]",
      (*library_)->name, listed(joints_).c_str(), parameters.mode.c_str(),
      listed(summed).c_str());
  }

  Settings settings_of(const Params & parameters) const
  {
    const auto & library = *library_;
    Settings settings;
    for (std::size_t term = 0; term < term_count; ++term) {
      settings.terms[term] = std::count(
        parameters.terms.begin(), parameters.terms.end(), term_names[term]) > 0;
    }
    settings.mode = parameters.mode == "feedforward" ? Mode::feedforward
      : parameters.mode == "computed_torque" ? Mode::computed_torque : Mode::gravity_compensation;
    const Vector none(joints_.size(), 0.0);
    settings.kp = per_joint("kp", parameters.kp, none);
    settings.kd = per_joint("kd", parameters.kd, none);
    const auto need = [&](bool holds, const std::string & why) {
        if (!holds) {
          throw std::runtime_error(
            "mode " + parameters.mode + " with terms [" + listed(parameters.terms) + "]: " + why);
        }
      };
    need(
      !settings.terms[friction_term] || library->friction_step,
      "the dynamics library has no friction: export it with friction, or leave it out");
    if (settings.mode == Mode::gravity_compensation) {
      need(settings.terms[gravity_term], "it adds gravity alone");
      need(settings.kp == none && settings.kd == none, "it has no kp and kd: leave them out");
      settings.terms[coriolis_term] = settings.terms[inertial_term] = false;
    } else if (settings.mode == Mode::computed_torque) {
      need(settings.terms[inertial_term], "its feedback is in the term inertial");
      need(
        *std::min_element(settings.kp.begin(), settings.kp.end()) > 0.0,
        "kp above 0 is needed for each joint");
    }
    Vector described;
    for (const std::size_t index : indices_) {
      described.push_back(library->effort_limits[index]);
    }
    settings.effort_limits = per_joint("effort_limits", parameters.effort_limits, described);
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      // A library has DBL_MAX where the description has no limit.
      if (!(settings.effort_limits[k] > 0.0) || settings.effort_limits[k] == DBL_MAX) {
        throw std::runtime_error(
          "joint " + joints_[k] + " has no effort limit above 0 in the description and in " +
          "effort_limits: set the parameter, with .inf for no limit on purpose");
      }
    }
    const Vector & gravity = parameters.gravity;
    if (gravity.size() != settings.gravity.size()) {
      throw std::runtime_error(
        "gravity has " + std::to_string(gravity.size()) +
        " values: x, y and z in the axes of the root link are needed [m/s^2]");
    }
    std::copy(gravity.begin(), gravity.end(), settings.gravity.begin());
    settings.fade_time = parameters.fade_time;
    settings.state_timeout = parameters.state_timeout;
    settings.friction_share = parameters.friction_share;
    settings.reference_tolerance = parameters.reference_tolerance;
    double sum = settings.fade_time + settings.state_timeout + settings.friction_share +
      settings.reference_tolerance;
    for (const Vector & values : {settings.kp, settings.kd, gravity}) {
      sum = std::accumulate(values.begin(), values.end(), sum);
    }
    if (std::isnan(sum)) {
      // Bounds do not refuse it.
      throw std::runtime_error(
        "kp, kd, gravity, fade_time, state_timeout, friction_share or reference_tolerance is not a "
        "number");
    }
    settings.hold_when_stale = parameters.on_stale == "hold";
    settings.hold_when_stopped = parameters.on_stop == "hold";
    return settings;
  }

  // Whether parameters go together; what each may be is in parameters.yaml.
  rcl_interfaces::msg::SetParametersResult judge(const std::vector<rclcpp::Parameter> & given)
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    rcl_interfaces::msg::SetParametersResult result;
    Params parameters = listener_->get_params();
    const std::map<std::string, Vector *> arrays{
      {"kp", &parameters.kp}, {"kd", &parameters.kd}, {"gravity", &parameters.gravity},
      {"effort_limits", &parameters.effort_limits}};
    const std::map<std::string, double *> numbers{
      {"fade_time", &parameters.fade_time}, {"state_timeout", &parameters.state_timeout},
      {"friction_share", &parameters.friction_share},
      {"reference_tolerance", &parameters.reference_tolerance}};
    try {
      for (const rclcpp::Parameter & each : given) {
        const std::string & name = each.get_name();
        if (name == "terms") {
          parameters.terms = each.as_string_array();
        } else if (arrays.count(name)) {
          *arrays.at(name) = each.as_double_array();
        } else if (numbers.count(name)) {
          *numbers.at(name) = each.as_double();
        }
      }
      if (cycle_) {
        (void)settings_of(parameters);
      }
      result.successful = true;
    } catch (const std::exception & error) {
      result.reason = error.what();
    }
    return result;
  }

  void report()
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!cycle_) {
      return;
    }
    const Status before = reported_, & now = reported_ = status_;
    const auto logger = get_node()->get_logger();
    const auto joint = [this](std::size_t index) {
        return std::string("joint ") + (*library_)->joint_names[index];
      };
    const auto number = [](auto value) { return static_cast<std::size_t>(value); };
    if (now.key() != before.key()) {
      const std::string name = std::string("state ") + state_names[number(now.state)] + ", event " +
        event_names[number(now.event)] + ", target " + target_names[number(now.target)];
      const std::string why = now.concerned < positions_.size()
        ? joint(now.concerned) + " had no finite state"
        : "no torque can be computed for the positions and the reference";
      const std::string until = std::string(", a fault until ") +
        (now.state == State::silent ? "activation: " : "~/enable: ");
      if (now.fault == Event::double_gravity) {
        RCLCPP_ERROR(
          logger, "%s%s%s rises while gravity fades in, so that something else compensates it: "
          "remove gravity from terms", name.c_str(), until.c_str(), joint(now.blamed).c_str());
      } else if (now.fault == Event::lost || now.lost) {
        RCLCPP_ERROR(
          logger, "%s%sfor more than %g s %s", name.c_str(), until.c_str(), longest_stale,
          why.c_str());
      } else if (now.state == State::reacting) {
        RCLCPP_ERROR(
          logger, "%s%s%s is beyond its velocity limit of %g", name.c_str(), until.c_str(),
          joint(now.blamed).c_str(), (*library_)->velocity_limits[now.blamed]);
      } else if (now.state == State::holding) {
        RCLCPP_WARN(logger, "%s: %s", name.c_str(), why.c_str());
      } else {
        RCLCPP_INFO(logger, "%s%s", name.c_str(), now.enabled ? "" : ": ~/enable was false");
      }
    }
    if (now.silent_joint != before.silent_joint && now.silent_joint < positions_.size()) {
      RCLCPP_WARN(
        logger, "%s, which is not commanded, has no finite position: it counts as where it was last",
        joint(now.silent_joint).c_str());
    }
    if (now.dropped != before.dropped && now.dropped < positions_.size()) {
      RCLCPP_WARN(
        logger, "%s has moved in one direction for %g s without a reference: friction and torque "
        "offsets are zero until the arm rests; lower friction_share, or identify friction again",
        joint(now.dropped).c_str(), longest_motion);
    }
    if (now.far.k != before.far.k && now.far.k < joints_.size()) {
      RCLCPP_WARN(
        logger, "the reference is not followed: gravity of joint %s is %.4g there and %.4g at the "
        "measured positions, further apart than reference_tolerance allows",
        joints_[now.far.k].c_str(), now.far.reference, now.far.measured);
    }
  }

  std::unique_ptr<ParamListener> listener_;
  std::optional<Library> library_;
  std::vector<std::size_t> indices_;  // of the commanded joints in the library
  std::vector<std::string> joints_;   // their names

  // What update works on: it has its size since configure.
  std::optional<Cycle> cycle_;
  std::chrono::steady_clock::time_point ended_{};  // of the last deactivation
  unsigned activation_{0};
  Reference reference_;
  Vector positions_, velocities_;

  // Of all but update, which never waits for it, and reads what parameters and ~/enable have changed.
  std::mutex mutex_;
  Settings changed_settings_;
  bool changed_{false};
  std::atomic<int> wanted_{-1};  // by ~/enable; -1 where nothing was asked for
  Status status_, reported_;  // of the last update, and as the log has it

  rclcpp::Service<std_srvs::srv::SetBool>::SharedPtr enable_service_;
  rclcpp::TimerBase::SharedPtr timer_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr judging_;
  rclcpp::node_interfaces::PostSetParametersCallbackHandle::SharedPtr applying_;
};

}  // namespace robot_dynamics_controller

PLUGINLIB_EXPORT_CLASS(
  robot_dynamics_controller::DynamicsFeedforwardController,
  controller_interface::ChainableControllerInterface)
