// What most tests include, compiled once for all programs of the suite.
#pragma once

#include <acl/acl.h>
#include <gtest/gtest.h>
#include <portacl/portacl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
