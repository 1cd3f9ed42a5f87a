#include "controller.hpp"

#include <cfloat>
#include <limits>
#include <memory>
#include <stdexcept>

#include <pluginlib/class_list_macros.hpp>

namespace dynamics_feedforward
{

using controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;

namespace
{

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();
// In the order of the members of Reference.
constexpr const char * reference_names[] = {"effort", "position", "velocity", "acceleration"};
constexpr std::size_t reference_kinds = 4;

}  // namespace

CallbackReturn Controller::on_init()
{
  auto_declare<bool>("follow_reference", false);
  auto_declare<std::vector<double>>("effort_limits", {});
  auto_declare<std::vector<double>>("effort_rates", {});
  auto_declare<std::vector<double>>(
    "gravity", {robot::standard_gravity.begin(), robot::standard_gravity.end()});
  auto_declare<double>("fade_time", 1.0);
  auto_declare<double>("state_timeout", 0.1);
  return CallbackReturn::SUCCESS;
}

InterfaceConfiguration Controller::interfaces(const std::string & name)
{
  InterfaceConfiguration configuration{
    controller_interface::interface_configuration_type::INDIVIDUAL, {}};
  for (const char * joint : robot::joint_names) {
    configuration.names.push_back(std::string(joint) + "/" + name);
  }
  return configuration;
}

InterfaceConfiguration Controller::command_interface_configuration() const
{
  return interfaces("effort");
}

InterfaceConfiguration Controller::state_interface_configuration() const
{
  return interfaces("position");
}

CallbackReturn Controller::on_configure(const rclcpp_lifecycle::State &)
{
  try {
    feedforward_.emplace(read_settings());
  } catch (const std::invalid_argument & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::FAILURE;
  }
  enable_service_ = get_node()->create_service<std_srvs::srv::SetBool>(
    "~/enable",
    [this](
      const std_srvs::srv::SetBool::Request::SharedPtr request,
      std_srvs::srv::SetBool::Response::SharedPtr response) {
      enabled_ = request->data;
      response->success = true;
      response->message = request->data ? "fading to the full torque" : "fading to zero torque";
    });
  return CallbackReturn::SUCCESS;
}

Vector Controller::joint_values(const std::string & parameter, const Vector & from_description)
{
  const auto values = get_node()->get_parameter(parameter).as_double_array();
  if (!values.empty() && values.size() != robot::size) {
    throw std::invalid_argument(
      parameter + " has " + std::to_string(values.size()) + " values: none or " +
      std::to_string(robot::size) + " are allowed, in the order of the exported joints");
  }
  Vector result = from_description;
  std::copy(values.begin(), values.end(), result.begin());
  for (std::size_t i = 0; i < robot::size; ++i) {
    // The export writes DBL_MAX where the description has no limit.
    if (!(result[i] > 0.0 && result[i] < DBL_MAX)) {
      throw std::invalid_argument(
        parameter + " of joint " + robot::joint_names[i] + " is " + std::to_string(result[i]) +
        ": greater than 0 and finite is needed, set the parameter");
    }
  }
  return result;
}

Settings Controller::read_settings()
{
  Settings settings;
  Vector described{};
  std::copy_n(robot::effort_limits, robot::size, described.begin());
  settings.effort_limits = joint_values("effort_limits", described);
  // From no torque to the full one in 50 ms.
  Vector rates = settings.effort_limits;
  std::transform(rates.begin(), rates.end(), rates.begin(), [](double x) { return 20.0 * x; });
  settings.effort_rates = joint_values("effort_rates", rates);
  const auto gravity = get_node()->get_parameter("gravity").as_double_array();
  if (gravity.size() != 3 || !std::all_of(gravity.begin(), gravity.end(), [](double x) {
      return std::abs(x) <= 100.0;
    })) {
    throw std::invalid_argument("gravity must be three numbers of at most 100 m/s^2");
  }
  std::copy(gravity.begin(), gravity.end(), settings.gravity.begin());
  settings.fade_time = get_node()->get_parameter("fade_time").as_double();
  settings.state_timeout = get_node()->get_parameter("state_timeout").as_double();
  if (!(settings.fade_time > 0.0 && settings.state_timeout >= 0.0)) {
    throw std::invalid_argument("fade_time must be greater than 0, state_timeout at least 0");
  }
  settings.follow_reference = get_node()->get_parameter("follow_reference").as_bool();
  return settings;
}

std::vector<hardware_interface::CommandInterface::SharedPtr>
Controller::on_export_reference_interfaces_list()
{
  // What the controller before this one writes: <this controller>/<joint>/effort, and so on.
  std::vector<hardware_interface::CommandInterface::SharedPtr> exported;
  const std::string name = get_node()->get_name();
  for (const char * kind : reference_names) {
    for (const char * joint : robot::joint_names) {
      hardware_interface::InterfaceInfo information;
      information.name = kind;
      information.data_type = "double";
      exported.push_back(std::make_shared<hardware_interface::CommandInterface>(
        hardware_interface::InterfaceDescription(name + "/" + joint, information)));
    }
  }
  return exported;
}

void Controller::forget_references()
{
  for (const auto & interface : ordered_exported_reference_interfaces_) {
    (void)interface->set_value(not_given);
  }
}

bool Controller::on_set_chained_mode(bool)
{
  forget_references();
  return true;
}

CallbackReturn Controller::on_activate(const rclcpp_lifecycle::State &)
{
  // What the drives were commanded last: the first command equals it.
  Vector efforts{};
  for (std::size_t i = 0; i < robot::size; ++i) {
    efforts[i] = command_interfaces_[i].get_optional().value_or(not_given);
  }
  forget_references();
  enabled_ = true;
  feedforward_->start(efforts);
  return CallbackReturn::SUCCESS;
}

CallbackReturn Controller::on_deactivate(const rclcpp_lifecycle::State &)
{
  // The last command stays: a step to zero would drop the arm. ~/enable false fades before.
  return CallbackReturn::SUCCESS;
}

return_type Controller::update_reference_from_subscribers(
  const rclcpp::Time &, const rclcpp::Duration &)
{
  // Alone it has no reference: gravity compensation.
  return return_type::OK;
}

return_type Controller::update_and_write_commands(
  const rclcpp::Time &, const rclcpp::Duration & period)
{
  for (std::size_t i = 0; i < robot::size; ++i) {
    positions_[i] = state_interfaces_[i].get_optional().value_or(not_given);
  }
  Vector * const references[reference_kinds] = {
    &reference_.effort, &reference_.position, &reference_.velocity, &reference_.acceleration};
  for (std::size_t kind = 0; kind < reference_kinds; ++kind) {
    for (std::size_t i = 0; i < robot::size; ++i) {
      (*references[kind])[i] = ordered_exported_reference_interfaces_[kind * robot::size + i]
        ->get_optional().value_or(not_given);
    }
  }
  feedforward_->enable(enabled_);
  const Outcome outcome = feedforward_->update(positions_, reference_, period.seconds());
  bool written = true;
  for (std::size_t i = 0; i < robot::size; ++i) {
    written &= command_interfaces_[i].set_value(feedforward_->command()[i]);
  }
  // The controller manager then deactivates this controller and those before it.
  return outcome == Outcome::lost || !written ? return_type::ERROR : return_type::OK;
}

}  // namespace dynamics_feedforward

PLUGINLIB_EXPORT_CLASS(
  dynamics_feedforward::Controller, controller_interface::ChainableControllerInterface)
