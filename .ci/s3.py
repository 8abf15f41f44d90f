"""The S3 of OpenStack Swift on a port of this machine: one copy of everything, in a folder that the caller removes, and one process until it is ended.

Takes the folder and the name of a bucket, and says its address when it can be used."""

import os
import sys

import eventlet

eventlet.patcher.monkey_patch(all=False, socket=True, select=True, thread=True, time=True)

from eventlet import wsgi
from swift.common import storage_policy, utils

folder, bucket = sys.argv[1:]
# What is written is gone after the tests: nobody needs to wait for the disk.
os.fsync = os.fdatasync = lambda descriptor: None

# Where tests take up both cores an answer may be late, and one server is all there is.
settings = f"""[DEFAULT]
swift_dir = {folder}
devices = {folder}
mount_check = false
disable_fallocate = true
log_level = CRITICAL
log_requests = false
node_timeout = 60
conn_timeout = 60
"""

proxy = """[pipeline:main]
pipeline = catch_errors s3api tempauth slo proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
max_bucket_listing = 7
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
node_timeout = 60
recoverable_node_timeout = 60
conn_timeout = 60
error_suppression_limit = 1000000
"""


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


class Cache:
    """What Swift asks memcached for."""

    def __init__(self):
        self.values = {}

    def get(self, key, raise_on_error=False):
        return self.values.get(key)

    def set(self, key, value, **options):
        self.values[key] = value

    def delete(self, key, **options):
        self.values.pop(key, None)

    def incr(self, key, delta=1, **options):
        self.values[key] = self.values.get(key, 0) + delta
        return self.values[key]


class Silence:
    def write(self, *words):
        pass

    debug = info = warning = error = exception = write


utils.SWIFT_CONF_FILE = write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = tests\n[storage-policy:0]\nname = only\ndefault = yes\n")
utils.validate_hash_conf()
storage_policy.reload_storage_policies()

from swift.common.middleware.s3api.controllers import multi_upload
from swift.common.ring import RingBuilder
from swift.common.swob import Request
from swift.common.wsgi import SwiftHttpProtocol, loadapp


# Listings have more than one page where there is more than a little in them; for these two there is no setting.
multi_upload.DEFAULT_MAX_UPLOADS = multi_upload.DEFAULT_MAX_PARTS_LISTING = 7


def serve(listener, app):
    wsgi.server(listener, app, Silence(), protocol=SwiftHttpProtocol, log_output=False)


os.makedirs(os.path.join(folder, "disk"))
for kind in ["account", "container", "object"]:
    listener = eventlet.listen(("127.0.0.1", 0))
    ring = RingBuilder(part_power=1, replicas=1, min_part_hours=0)
    ring.add_dev({"id": 0, "region": 1, "zone": 1, "weight": 1, "ip": "127.0.0.1", "port": listener.getsockname()[1], "device": "disk"})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, f"{kind}.ring.gz"))
    backend = loadapp(write(f"{kind}.conf", f"{settings}[app:main]\nuse = egg:swift#{kind}\nreplication_server = false\n"))
    eventlet.spawn(serve, listener, backend)

cache = Cache()
inner = loadapp(write("proxy.conf", settings + proxy))


def app(environ, start_response):
    return inner({**environ, "swift.cache": cache}, start_response)


made = Request.blank(f"/v1/AUTH_test/{bucket}", environ={"REQUEST_METHOD": "PUT", "swift.authorize_override": True}).get_response(app)
if made.status_int != 201:
    sys.exit(f"Swift made no bucket: {made.status}")
front = eventlet.listen(("127.0.0.1", 0))
print(f"http://127.0.0.1:{front.getsockname()[1]}", flush=True)
serve(front, app)
