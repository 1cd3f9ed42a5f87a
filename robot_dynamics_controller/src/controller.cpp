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
// Added to the number of a state.
constexpr int failed = 4, disabled = 8;
constexpr const char * state_names[] = {"SILENT", "TRACKING", "HOLDING", "STOPPING"};
constexpr const char * term_names[] = {"gravity", "coriolis", "inertial", "friction"};

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
    give();
    reported_ = -1;
    return CallbackReturn::SUCCESS;
  }

  CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) override
  {
    // A step to zero would drop the arm. ~/enable with false fades before.
    clear_references();
    cycle_->end();
    ended_ = std::chrono::steady_clock::now();
    give();
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
        hardware_interface::InterfaceInfo information;
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
    give();
    // After a fault, in SILENT, the manager deactivates this controller and those before it.
    return status_ % disabled == failed ? return_type::ERROR : return_type::OK;
  }

private:
  void clear_references()
  {
    for (const auto & interface : ordered_exported_reference_interfaces_) {
      (void)interface->set_value(not_given);
    }
  }

  // Commands to the drives, and the state to the log.
  void give()
  {
    unusable_ = cycle_->unusable();
    status_ = static_cast<int>(cycle_->state()) + disabled * !cycle_->enabled() +
      failed * (cycle_->fault() || cycle_->lost());
    for (std::size_t j = 0; j < joints_.size() && cycle_->state() != State::silent; ++j) {
      (void)command_interfaces_[j].set_value(cycle_->effort()[j]);
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
    const Vector gravity = per_joint("gravity", parameters.gravity, Vector(3));
    std::copy(gravity.begin(), gravity.end(), settings.gravity.begin());
    settings.fade_time = parameters.fade_time;
    settings.state_timeout = parameters.state_timeout;
    double sum = settings.fade_time + settings.state_timeout;
    for (const Vector & values : {settings.kp, settings.kd, gravity}) {
      sum = std::accumulate(values.begin(), values.end(), sum);
    }
    if (std::isnan(sum)) {
      // Bounds do not refuse it.
      throw std::runtime_error("kp, kd, gravity, fade_time or state_timeout is not a number");
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
      {"fade_time", &parameters.fade_time}, {"state_timeout", &parameters.state_timeout}};
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
    const int status = status_;
    if (!cycle_ || reported_.exchange(status) == status) {
      return;
    }
    const auto logger = get_node()->get_logger();
    const std::string name = state_names[status % failed], why = unusable_ < positions_.size()
      ? std::string("joint ") + (*library_)->joint_names[unusable_] + " had no finite state"
      : "no torque can be computed for the positions and the reference";
    if (status & failed) {
      RCLCPP_ERROR(
        logger, "%s, a fault until %s: for more than %g s %s", name.c_str(),
        status % disabled == failed ? "activation" : "~/enable", longest_stale, why.c_str());
    } else if (status == static_cast<int>(State::holding)) {
      RCLCPP_WARN(logger, "%s: %s", name.c_str(), why.c_str());
    } else {
      RCLCPP_INFO(logger, "%s%s", name.c_str(), status & disabled ? ": ~/enable was false" : "");
    }
  }

  std::unique_ptr<ParamListener> listener_;
  std::optional<Library> library_;
  std::vector<std::size_t> indices_;  // of the commanded joints in the library
  std::vector<std::string> joints_;   // their names

  // What update works on: it has its size since configure.
  std::optional<Cycle> cycle_;
  std::chrono::steady_clock::time_point ended_{};  // of the last deactivation
  Reference reference_;
  Vector positions_, velocities_;

  // Of all but update, which never waits for it, and reads what parameters and ~/enable have changed.
  std::mutex mutex_;
  Settings changed_settings_;
  bool changed_{false};
  std::atomic<int> wanted_{-1};  // by ~/enable; -1 where nothing was asked for
  // From update to the log.
  std::atomic<std::size_t> unusable_{0};  // of Cycle
  std::atomic<int> status_{0}, reported_{-1};

  rclcpp::Service<std_srvs::srv::SetBool>::SharedPtr enable_service_;
  rclcpp::TimerBase::SharedPtr timer_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr judging_;
  rclcpp::node_interfaces::PostSetParametersCallbackHandle::SharedPtr applying_;
};

}  // namespace robot_dynamics_controller

PLUGINLIB_EXPORT_CLASS(
  robot_dynamics_controller::DynamicsFeedforwardController,
  controller_interface::ChainableControllerInterface)
