#ifndef CONTROLLER_HPP_
#define CONTROLLER_HPP_

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include <controller_interface/chainable_controller_interface.hpp>
#include <rclcpp/service.hpp>
#include <std_srvs/srv/set_bool.hpp>

#include <dynamics_feedforward/feedforward.hpp>

namespace dynamics_feedforward
{

// Adds gravity or feedforward torques to the efforts of the controller before it in the chain.
class Controller : public controller_interface::ChainableControllerInterface
{
public:
  controller_interface::CallbackReturn on_init() override;
  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;
  controller_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State &) override;
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
  static controller_interface::InterfaceConfiguration interfaces(const std::string & name);
  Settings read_settings();
  Vector joint_values(const std::string & parameter, const Vector & from_description);
  void forget_references();

  // Constructed on configure; update works on what lies here already.
  std::optional<Feedforward> feedforward_;
  Reference reference_;
  Vector positions_{};
  std::atomic<bool> enabled_{true};
  rclcpp::Service<std_srvs::srv::SetBool>::SharedPtr enable_service_;
};

}  // namespace dynamics_feedforward

#endif  // CONTROLLER_HPP_
