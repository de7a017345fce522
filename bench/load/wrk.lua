-- Sends each request of a file once, as fast as the answers come, and stops sending after this many
-- seconds. What was sent by then is answered before wrk ends, so that rows can be counted against it.
-- Arguments: the file (a line a request: method, path, body, separated by tabs), seconds.

local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds; long nanoseconds; } bench_time; int clock_gettime(int clock, bench_time *time);")
local time = ffi.new("bench_time")

local function now()
  ffi.C.clock_gettime(1, time)
  return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

local threads = {}
function setup(thread)
  table.insert(threads, thread)
end

local requests, seconds, ends = {}, 0, nil
sent, ran_out = 0, 0

function init(args)
  seconds = tonumber(args[2])
  for line in io.lines(args[1]) do
    local method, path, body = line:match("^(%u+)\t([^\t]*)\t(.*)$")
    local head = method .. " " .. path .. " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    if body ~= "" then
      head = head .. "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " .. #body .. "\r\n"
    end
    requests[#requests + 1] = head .. "\r\n" .. body
  end
end

local verified = false
function request()
  if not verified then
    -- wrk asks for one in advance, to look at it.
    verified = true
    return requests[1]
  end
  local at = now()
  ends = ends or at + seconds
  if at > ends then return "" end
  if sent == #requests then
    ran_out = 1
    return ""
  end
  sent = sent + 1
  return requests[sent]
end

function done(summary, latency)
  local all, out = 0, 0
  for _, thread in ipairs(threads) do
    all = all + thread:get("sent")
    out = out + thread:get("ran_out")
  end
  local errors = summary.errors
  io.write(string.format(
    '{"sent":%d,"ranOut":%d,"answered":%d,"refused":%d,"broken":%d,"p50Ms":%.3f,"p99Ms":%.3f}\n',
    all, out, summary.requests, errors.status, errors.connect + errors.read + errors.write,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
