// Seconds of a call of one of Pinocchio's functions, the best of many repeats: pinocchio_loop MODEL FUNCTION
//
// MODEL has a line for each joint: kind, parent, axis, rotation, origin, mass, centre, inertia. It comes from Pinocchio's
// Python module, so that nothing is linked: code for this processor does not fit the libraries of the wheel.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

constexpr int states = 1000;
constexpr int repeats = 300;

static Eigen::MatrixXd numbers(std::istream & file, int rows, int columns)
{
  Eigen::MatrixXd result(rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      file >> result(i, j);
    }
  }
  return result;
}

static pinocchio::JointModel joint(const std::string & kind, const Eigen::Vector3d & axis)
{
  if (kind == "JointModelRX") return pinocchio::JointModelRX();
  if (kind == "JointModelRY") return pinocchio::JointModelRY();
  if (kind == "JointModelRZ") return pinocchio::JointModelRZ();
  if (kind == "JointModelPX") return pinocchio::JointModelPX();
  if (kind == "JointModelPY") return pinocchio::JointModelPY();
  if (kind == "JointModelPZ") return pinocchio::JointModelPZ();
  return pinocchio::JointModelRevoluteUnaligned(axis);
}

int main(int, char ** arguments)
{
  pinocchio::Model model;
  std::ifstream file(arguments[1]);
  std::string kind;
  pinocchio::JointIndex parent;
  while (file >> kind >> parent) {
    const Eigen::Vector3d axis = numbers(file, 3, 1);
    const Eigen::Matrix3d rotation = numbers(file, 3, 3);
    const Eigen::Vector3d origin = numbers(file, 3, 1);
    const double mass = numbers(file, 1, 1)(0, 0);
    const Eigen::Vector3d centre = numbers(file, 3, 1);
    const Eigen::Matrix3d inertia = numbers(file, 3, 3);
    const auto index = model.addJoint(
      parent, joint(kind, axis), pinocchio::SE3(rotation, origin),
      "joint" + std::to_string(model.njoints));
    model.appendBodyToJoint(
      index, pinocchio::Inertia(mass, centre, inertia), pinocchio::SE3::Identity());
  }
  const std::string function = arguments[2];
  pinocchio::Data data(model);
  std::vector<Eigen::VectorXd> q, v, a;
  for (int i = 0; i < states; ++i) {
    q.push_back(Eigen::VectorXd::Random(model.nq));
    v.push_back(Eigen::VectorXd::Random(model.nv));
    a.push_back(Eigen::VectorXd::Random(model.nv));
  }
  double best = 1e9, sum = 0.0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < states; ++i) {
      if (function == "inverse_dynamics") {
        sum += pinocchio::rnea(model, data, q[i], v[i], a[i])[0];
      } else if (function == "mass_matrix") {
        sum += pinocchio::crba(model, data, q[i])(0, 0);
      } else {
        sum += pinocchio::computeCoriolisMatrix(model, data, q[i], v[i])(0, 0);
      }
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / states);
  }
  // The torque at zero tells whether the model is that of the Python module.
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv);
  const double check = pinocchio::rnea(model, data, zero, zero, zero).norm();
  std::printf("%.9g %.12g %d %g\n", best, check, model.nv, sum);
}
