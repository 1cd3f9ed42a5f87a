// Seconds of a call of one of Pinocchio's functions, the best of many repeats: pinocchio_loop URDF FUNCTION
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>

constexpr int states = 1000;
constexpr int repeats = 300;

int main(int, char ** arguments)
{
  std::ifstream file(arguments[1]);
  std::stringstream text;
  text << file.rdbuf();
  const std::string function = arguments[2];
  pinocchio::Model model;
  pinocchio::urdf::buildModelFromXML(text.str(), model);
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
  std::printf("%.9g %g\n", best, sum);
}
