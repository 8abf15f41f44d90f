import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nginxPath, varnishdPath } from "../../tools/engines.js";
import { freePort } from "../../tools/freePort.js";

/** A cache between clients and a service, in a process of its own. Its answers say in `X-Cache` whether they were stored. */
export interface ProxyCache {
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts a cache in front of the service at a port. */
export type StartCache = (upstream: number) => Promise<ProxyCache>;

/** nginx as docs/caching.md says. */
export const startNginx: StartCache = (upstream) =>
  startCache((folder, port) => {
    const config = join(folder, "nginx.conf");
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
    writeFileSync(
      config,
      `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
      ${process.getuid?.() === 0 ? "user root;" : ""}
      events {}
      http {
        access_log off; ${temporary}
        proxy_cache_path ${folder}/cache keys_zone=api:1m;
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass http://127.0.0.1:${upstream};
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Connection "";
            proxy_cache api;
            proxy_cache_key $scheme$http_host$request_uri;
            proxy_cache_revalidate on;
            proxy_cache_background_update on;
            add_header X-Cache $upstream_cache_status always;
          }
        }
      }`,
    );
    return [nginxPath ?? "nginx", ["-e", join(folder, "error.log"), "-c", config]];
  });

/** Varnish as docs/caching.md says; it looks into its store for requests with credentials too. */
export const startVarnish: StartCache = (upstream) =>
  startCache((folder, port) => {
    const config = join(folder, "api.vcl");
    writeFileSync(
      config,
      `vcl 4.1;
      backend default { .host = "127.0.0.1"; .port = "${upstream}"; }
      sub vcl_recv { if (req.method == "GET" || req.method == "HEAD") { return (hash); } }
      sub vcl_deliver { if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; } else { set resp.http.X-Cache = "MISS"; } }`,
    );
    const parameters = ["default_ttl=0", "default_grace=0", "default_keep=60"].flatMap((each) => ["-p", each]);
    const place = ["-a", `127.0.0.1:${port}`, "-n", join(folder, "work"), "-T", "none"];
    return [varnishdPath ?? "varnishd", ["-j", "none", "-F", "-f", config, ...place, "-s", "malloc,16m", ...parameters]];
  });

async function startCache(commandOf: (folder: string, port: number) => readonly [string, readonly string[]]): Promise<ProxyCache> {
  const folder = mkdtempSync(join(tmpdir(), "restwright-cache-"));
  mkdirSync(join(folder, "cache"));
  const port = await freePort();
  const [program, given] = commandOf(folder, port);
  const child = spawn(program, [...given], { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  await untilListening(port, child, () => stderr);
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Varnish compiles its configuration first. */
async function untilListening(port: number, child: ChildProcess, stderr: () => string): Promise<void> {
  for (let turn = 0; turn < 300; turn++) {
    if (child.exitCode !== null) break;
    const isUp = await fetch(`http://127.0.0.1:${port}/health`).then(
      ({ status }) => status < 500,
      () => false,
    );
    if (isUp) return;
    await sleep(100);
  }
  child.kill("SIGKILL");
  throw new Error(`${child.spawnfile} does not listen: ${stderr()}`);
}
