#ifndef CONTROLLER_HPP_
#define CONTROLLER_HPP_

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <controller_interface/chainable_controller_interface.hpp>
#include <rclcpp/rclcpp.hpp>
#include <std_srvs/srv/set_bool.hpp>

#include "robot_dynamics_controller/cycle.hpp"
#include "robot_dynamics_controller/parameters.hpp"

namespace robot_dynamics_controller
{

// The torque of a dynamics library, added to the efforts of the controller before it in the chain.
class DynamicsFeedforwardController : public controller_interface::ChainableControllerInterface
{
public:
  controller_interface::CallbackReturn on_init() override;
  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;
  controller_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State &) override;
  controller_interface::CallbackReturn on_cleanup(const rclcpp_lifecycle::State &) override;
  controller_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State &) override;
  controller_interface::CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) override;

protected:
  std::vector<hardware_interface::CommandInterface::SharedPtr>
  on_export_reference_interfaces_list() override;
  bool on_set_chained_mode(bool chained_mode) override;
  controller_interface::return_type update_reference_from_subscribers(
    const rclcpp::Time &, const rclcpp::Duration &) override;
  controller_interface::return_type update_and_write_commands(
    const rclcpp::Time &, const rclcpp::Duration & period) override;

private:
  void configure();
  Settings settings_of(const Params & parameters) const;
  rcl_interfaces::msg::SetParametersResult judge(const std::vector<rclcpp::Parameter> &) const;
  void forget_references();
  void report();

  std::unique_ptr<ParamListener> listener_;
  std::optional<Library> library_;
  std::vector<std::size_t> indices_;  // of the commanded joints in the library
  std::vector<std::string> joints_;   // their names

  // What update works on: it has its size since configure.
  std::optional<Cycle> cycle_;
  Reference reference_;
  Vector positions_, velocities_;

  // From parameters and ~/enable to update, which waits for no lock.
  std::mutex mutex_;
  Settings changed_settings_;
  bool changed_{false};
  std::atomic<int> wanted_{-1};  // by ~/enable; -1 where nothing was asked for
  // From update to the log.
  std::atomic<State> state_{State::silent};
  std::atomic<std::size_t> unknown_{0};  // joint that had no finite state
  State reported_{State::silent};

  rclcpp::Service<std_srvs::srv::SetBool>::SharedPtr enable_service_;
  rclcpp::TimerBase::SharedPtr timer_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr judging_;
  rclcpp::node_interfaces::PostSetParametersCallbackHandle::SharedPtr applying_;
};

}  // namespace robot_dynamics_controller

#endif  // CONTROLLER_HPP_
