// The dynamics library as a plugin of unisa-acg's inverse_dynamics_solver.
#include <inverse_dynamics_solver/inverse_dynamics_solver.h>

#include <optional>
#include <stdexcept>
#include <string>

#include <pluginlib/class_list_macros.hpp>

#include "load.hpp"

namespace robot_dynamics_controller
{

// Parameter <namespace>.dynamics_library, as of the controller; gravity is that of the Earth for a
// base that stands upright. Friction at a velocity alone: without load, after a long way.
class LibrarySolver : public inverse_dynamics_solver::InverseDynamicsSolver
{
public:
  void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters,
    const std::string & prefix, const std::string & robot_description) override
  {
    rclcpp::Parameter named;
    const std::string name = (prefix.empty() ? "" : prefix + ".") + "dynamics_library";
    if (!parameters || !parameters->get_parameter(name, named)) {
      throw std::runtime_error("parameter " + name + " is not set: package/name, or a path");
    }
    library_ = load_library(named.as_string(), robot_description);
  }

  Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd & q) const override
  {
    Eigen::MatrixXd mass(size(), size());  // symmetric: the order of its entries does not matter
    check((*library_)->mass_matrix(checked(q), mass.data()));
    return mass;
  }

  Eigen::VectorXd getCoriolisVector(
    const Eigen::VectorXd & q, const Eigen::VectorXd & v) const override
  {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(size());
    Eigen::MatrixXd columns(size(), 3);  // g(q), C(q, v) v and M(q) a
    check((*library_)->torque_terms(
        checked(q), checked(v), zero.data(), gravity, columns.data()));
    return columns.col(1);
  }

  Eigen::VectorXd getGravityVector(const Eigen::VectorXd & q) const override
  {
    Eigen::VectorXd torque(size());
    check((*library_)->gravity_torque(checked(q), gravity, torque.data()));
    return torque;
  }

  Eigen::VectorXd getFrictionVector(const Eigen::VectorXd & v) const override
  {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(size());
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(size(), 3);
    const double * speeds = checked(v);
    Eigen::VectorXd slips(2 * size());
    slips << v.array().sign().matrix(), v.array().sign().matrix();
    if ((*library_)->friction_step) {
      check((*library_)->friction_step(
          speeds, zero.data(), zero.data(), (*library_)->friction, slips.data(), rows.data()));
    }
    return rows.col(0);
  }

private:
  static constexpr double gravity[3] = {0.0, 0.0, -9.81};

  Eigen::Index size() const { return (*library_)->size; }

  const double * checked(const Eigen::VectorXd & values) const
  {
    if (values.size() != size() || !values.allFinite()) {
      throw std::runtime_error(
        std::to_string(values.size()) + " values were given, " + std::to_string(size()) +
        " finite ones are needed, of joints " + listed(library_->joint_names()));
    }
    return values.data();
  }

  static void check(int code)
  {
    if (code != 0) {
      throw std::runtime_error("a position is too large: below 2^30 rad is needed");
    }
  }

  std::optional<Library> library_;
};

}  // namespace robot_dynamics_controller

PLUGINLIB_EXPORT_CLASS(
  robot_dynamics_controller::LibrarySolver, inverse_dynamics_solver::InverseDynamicsSolver)
