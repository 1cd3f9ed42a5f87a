#include "controller.hpp"

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

#include <pluginlib/class_list_macros.hpp>

#include "load.hpp"

namespace robot_dynamics_controller
{

using controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;

namespace
{

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();
constexpr const char * state_names[] = {"SILENT", "TRACKING", "HOLDING", "STOPPING"};
constexpr const char * term_names[] = {"gravity", "coriolis", "inertial", "friction"};

bool has(const std::vector<std::string> & names, const std::string & name)
{
  return std::find(names.begin(), names.end(), name) != names.end();
}

// One value for each joint: of none, of one for all, or of one for each.
Vector per_joint(const std::string & name, const Vector & given, const Vector & otherwise)
{
  if (given.size() > 1 && given.size() != otherwise.size()) {
    throw std::runtime_error(
      name + " has " + std::to_string(given.size()) + " values: none, one for all joints or " +
      std::to_string(otherwise.size()) + ", in the order of joints, are allowed");
  }
  return given.empty() ? otherwise : given.size() > 1 ? given
         : Vector(otherwise.size(), given.front());
}

InterfaceConfiguration individual(std::vector<std::string> names)
{
  return {controller_interface::interface_configuration_type::INDIVIDUAL, std::move(names)};
}

}  // namespace

CallbackReturn DynamicsFeedforwardController::on_init()
{
  try {
    listener_ = std::make_unique<ParamListener>(get_node());
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

InterfaceConfiguration DynamicsFeedforwardController::command_interface_configuration() const
{
  std::vector<std::string> names;
  for (const std::string & joint : joints_) {
    names.push_back(joint + "/effort");
  }
  return individual(names);
}

InterfaceConfiguration DynamicsFeedforwardController::state_interface_configuration() const
{
  std::vector<std::string> names;
  for (const std::string & joint : library_ ? library_->joint_names() : joints_) {
    names.push_back(joint + "/position");
  }
  for (const std::string & joint : joints_) {
    if (cycle_ && cycle_->needs_velocities()) {
      names.push_back(joint + "/velocity");
    }
  }
  return individual(names);
}

CallbackReturn DynamicsFeedforwardController::on_configure(const rclcpp_lifecycle::State &)
{
  try {
    configure();
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::FAILURE;
  }
  return CallbackReturn::SUCCESS;
}

void DynamicsFeedforwardController::configure()
{
  const Params parameters = listener_->get_params();
  cycle_.reset();
  library_ = load_library(parameters.dynamics_library, get_robot_description());
  indices_ = library_->indices_of(parameters.joints);
  joints_.clear();
  for (const std::size_t index : indices_) {
    joints_.push_back((*library_)->joint_names[index]);
  }
  cycle_.emplace(*library_, indices_, settings_of(parameters));
  changed_ = false;
  positions_.resize(library_->size());
  velocities_.resize(joints_.size());
  for (Vector * values :
    {&reference_.effort, &reference_.position, &reference_.velocity, &reference_.acceleration})
  {
    values->assign(joints_.size(), not_given);
  }
  judging_ = get_node()->add_on_set_parameters_callback(
    [this](const std::vector<rclcpp::Parameter> & given) { return judge(given); });
  applying_ = get_node()->add_post_set_parameters_callback(
    [this](const std::vector<rclcpp::Parameter> &) {
      const Settings settings = settings_of(listener_->get_params());
      const std::lock_guard<std::mutex> lock(mutex_);
      changed_settings_ = settings;
      changed_ = true;
    });
  enable_service_ = get_node()->create_service<std_srvs::srv::SetBool>(
    "~/enable",
    [this](
      const std_srvs::srv::SetBool::Request::SharedPtr request,
      std_srvs::srv::SetBool::Response::SharedPtr response) {
      response->success = get_lifecycle_id() == lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE;
      wanted_ = response->success ? request->data : -1;
      response->message = !response->success ? "the controller is not active"
        : request->data ? "torque enabled, a fault is acknowledged" : "fading to on_stop";
    });
  timer_ = get_node()->create_wall_timer(std::chrono::milliseconds(100), [this] { report(); });
  RCLCPP_INFO(
    get_node()->get_logger(), "dynamics library of %s for [%s], mode %s, terms [%s]",
    (*library_)->name, listed(joints_).c_str(), parameters.mode.c_str(),
    listed(parameters.terms).c_str());
}

CallbackReturn DynamicsFeedforwardController::on_cleanup(const rclcpp_lifecycle::State &)
{
  timer_.reset();
  judging_.reset();
  applying_.reset();
  enable_service_.reset();
  cycle_.reset();
  library_.reset();
  return CallbackReturn::SUCCESS;
}

Settings DynamicsFeedforwardController::settings_of(const Params & parameters) const
{
  const auto & library = *library_;
  Settings settings;
  for (std::size_t term = 0; term < term_count; ++term) {
    settings.terms[term] = has(parameters.terms, term_names[term]);
  }
  const auto refuse = [&](const std::string & why) {
      throw std::runtime_error("terms are [" + listed(parameters.terms) + "], " + why);
    };
  if (settings.terms[friction_term] && !library->friction_step) {
    refuse("but the dynamics library has no friction: export it with friction, or leave it out");
  }
  if (parameters.mode == "gravity_compensation") {
    if (!settings.terms[gravity_term]) {
      refuse("but mode gravity_compensation adds gravity alone");
    }
  } else if (parameters.mode == "feedforward") {
    settings.mode = Mode::feedforward;
  } else {
    settings.mode = Mode::computed_torque;
    if (!settings.terms[inertial_term]) {
      refuse("but in mode computed_torque the feedback is in the term inertial");
    }
  }
  Vector described, none(joints_.size(), 0.0);
  for (const std::size_t index : indices_) {
    described.push_back(library->effort_limits[index]);
  }
  settings.effort_limits = per_joint("effort_limits", parameters.effort_limits, described);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const double limit = settings.effort_limits[k];
    // A library has DBL_MAX where the description has no limit.
    if (!(limit > 0.0) || limit == DBL_MAX) {
      throw std::runtime_error(
        "joint " + joints_[k] + " has no effort limit in the description, or one that is not " +
        "positive: set effort_limits, with .inf for no limit on purpose");
    }
  }
  settings.kp = per_joint("kp", parameters.kp, none);
  settings.kd = per_joint("kd", parameters.kd, none);
  std::copy_n(parameters.gravity.begin(), 3, settings.gravity.begin());
  settings.fade_time = parameters.fade_time;
  settings.state_timeout = parameters.state_timeout;
  double sum = settings.fade_time + settings.state_timeout;
  for (const Vector & values : {settings.kp, settings.kd, parameters.gravity}) {
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

rcl_interfaces::msg::SetParametersResult DynamicsFeedforwardController::judge(
  const std::vector<rclcpp::Parameter> & given) const
{
  rcl_interfaces::msg::SetParametersResult result;
  Params parameters = listener_->get_params();
  try {
    for (const rclcpp::Parameter & each : given) {
      const std::string & name = each.get_name();
      if (name == "terms") {
        parameters.terms = each.as_string_array();
      }
      for (const auto & [known, values] : std::map<std::string, Vector *>{
          {"kp", &parameters.kp}, {"kd", &parameters.kd}, {"gravity", &parameters.gravity},
          {"effort_limits", &parameters.effort_limits}})
      {
        if (name == known) {
          *values = each.as_double_array();
        }
      }
    }
    (void)settings_of(parameters);
    result.successful = true;
  } catch (const std::exception & error) {
    result.successful = false;
    result.reason = error.what();
  }
  return result;
}

std::vector<hardware_interface::CommandInterface::SharedPtr>
DynamicsFeedforwardController::on_export_reference_interfaces_list()
{
  // What the controller before this one writes: <this controller>/<joint>/effort, and so on.
  std::vector<std::string> kinds{"effort"};
  if (cycle_->needs_velocities()) {
    kinds.insert(kinds.end(), {"position", "velocity", "acceleration"});
  }
  std::vector<hardware_interface::CommandInterface::SharedPtr> exported;
  for (const std::string & kind : kinds) {
    for (const std::string & joint : joints_) {
      hardware_interface::InterfaceInfo information;
      information.name = kind;
      information.data_type = "double";
      exported.push_back(std::make_shared<hardware_interface::CommandInterface>(
        hardware_interface::InterfaceDescription(
          std::string(get_node()->get_name()) + "/" + joint, information)));
    }
  }
  return exported;
}

void DynamicsFeedforwardController::forget_references()
{
  for (const auto & interface : ordered_exported_reference_interfaces_) {
    (void)interface->set_value(not_given);
  }
}

bool DynamicsFeedforwardController::on_set_chained_mode(bool)
{
  forget_references();
  return true;
}

CallbackReturn DynamicsFeedforwardController::on_activate(const rclcpp_lifecycle::State &)
{
  // What the drives were commanded last: the first command equals it.
  Vector efforts;
  for (const auto & interface : command_interfaces_) {
    efforts.push_back(interface.get_optional().value_or(not_given));
  }
  forget_references();
  wanted_ = -1;
  cycle_->start(efforts);
  return CallbackReturn::SUCCESS;
}

CallbackReturn DynamicsFeedforwardController::on_deactivate(const rclcpp_lifecycle::State &)
{
  // The last command stays: a step to zero would drop the arm. ~/enable with false fades before.
  return CallbackReturn::SUCCESS;
}

return_type DynamicsFeedforwardController::update_reference_from_subscribers(
  const rclcpp::Time &, const rclcpp::Duration &)
{
  return return_type::OK;
}

return_type DynamicsFeedforwardController::update_and_write_commands(
  const rclcpp::Time &, const rclcpp::Duration & period)
{
  if (std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock); lock && changed_) {
    cycle_->use(changed_settings_);
    changed_ = false;
  }
  if (const int wanted = wanted_.exchange(-1); wanted >= 0) {
    cycle_->enable(wanted > 0);
  }
  const std::size_t n = positions_.size(), k = joints_.size();
  const auto measured = [this](std::size_t index, std::size_t joint) {
      const double value = state_interfaces_[index].get_optional().value_or(not_given);
      if (!std::isfinite(value)) {
        unknown_ = joint;
      }
      return value;
    };
  for (std::size_t i = 0; i < n; ++i) {
    positions_[i] = measured(i, i);
  }
  for (std::size_t j = 0; j < k && cycle_->needs_velocities(); ++j) {
    velocities_[j] = measured(n + j, indices_[j]);
  }
  Vector * const references[] = {
    &reference_.effort, &reference_.position, &reference_.velocity, &reference_.acceleration};
  for (std::size_t i = 0; i < ordered_exported_reference_interfaces_.size(); ++i) {
    (*references[i / k])[i % k] =
      ordered_exported_reference_interfaces_[i]->get_optional().value_or(not_given);
  }
  cycle_->update(positions_, velocities_, reference_, period.seconds());
  state_ = cycle_->state();
  bool written = true;
  if (cycle_->state() != State::silent) {
    for (std::size_t j = 0; j < k; ++j) {
      written &= command_interfaces_[j].set_value(cycle_->effort()[j]);
    }
  }
  // After a fault the manager deactivates this controller and those before it.
  const bool ended = cycle_->fault() && cycle_->state() == State::silent;
  return ended || !written ? return_type::ERROR : return_type::OK;
}

void DynamicsFeedforwardController::report()
{
  const State state = state_;
  if (state == reported_) {
    return;
  }
  reported_ = state;
  const char * name = state_names[static_cast<std::size_t>(state)];
  if (state == State::holding) {
    RCLCPP_WARN(
      get_node()->get_logger(), "%s: joint %s had no finite state", name,
      (*library_)->joint_names[unknown_]);
  } else {
    RCLCPP_INFO(get_node()->get_logger(), "%s", name);
  }
}

}  // namespace robot_dynamics_controller

PLUGINLIB_EXPORT_CLASS(
  robot_dynamics_controller::DynamicsFeedforwardController,
  controller_interface::ChainableControllerInterface)
