// @slow

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { guideCode, guidePage } from "./guidePage.js";
import { startServer } from "./production/server.js";

const page = readFileSync(new URL("../../docs/guides/production.md", import.meta.url), "utf8");
const main = fileURLToPath(new URL("production/main.ts", import.meta.url));

/** The program in a process of its own. */
async function started(): Promise<{ readonly process: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, ["--import", "tsx", main], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return { process: child, url: `http://127.0.0.1:${port}/v1` };
}

describe("docs/guides/production.md", () => {
  test("shows the code that is run here", () => {
    const [server = "", signals = ""] = guidePage("production").blocks;
    expect(guideCode("./production/server.ts").endsWith(server)).toBe(true);
    const [, after = "missing"] = signals.split("for (const signal");
    expect(guideCode("./production/main.ts")).toContain(`for (const signal${after}`);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("%s ends the program after the request that runs, and with status 0", async (signal) => {
    const { process: child, url } = await started();
    const sending = request(`${url}/notes`, { method: "POST", headers: { "content-type": "application/json" } });
    sending.write('{"text":"sent ');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const ended = once(child, "exit");
    child.kill(signal);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await expect(fetch(`${url}/health`)).rejects.toThrow();
    sending.end('slowly"}');
    const [answer] = (await once(sending, "response")) as [{ statusCode: number; resume(): void }];
    answer.resume();
    expect(answer.statusCode).toBe(201);
    expect(await ended).toEqual([0, null]);
  });

  test("probes are 200, and the address of a client is what the nearest proxy says", async () => {
    const { server, stop } = await startServer(memoryStorage(), 0);
    onTestFinished(stop);
    const { port } = server.address() as { port: number };
    const get = (path: string, forwarded: string) => fetch(`http://127.0.0.1:${port}/v1${path}`, { headers: { "x-forwarded-for": forwarded } });
    const left = async (forwarded: string) => /;r=(\d+)/.exec((await get("/notes", forwarded)).headers.get("ratelimit") ?? "")?.[1];
    expect((await get("/health", "203.0.113.1")).status).toBe(200);
    expect((await get("/ready", "203.0.113.1")).status).toBe(200);
    expect(await left("203.0.113.7")).toBe("599");
    expect(await left("198.51.100.1, 203.0.113.7")).toBe("598");
    expect(await left("203.0.113.8")).toBe("599");
  });

  test("the container starts Node itself, not as root, on what is built", () => {
    const [, dockerfile = ""] = /```dockerfile\n([\s\S]*?)```/.exec(page) ?? [];
    const [, image = ""] = dockerfile.split(/(?=^FROM )/m);
    expect(image).toMatch(/^CMD \["node", "dist\/main\.js"\]$/m);
    expect(image).toMatch(/^USER node$/m);
    expect(image).not.toMatch(/--chown|npm start|^CMD [^[]/m);
    const [, probe = ""] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(image) ?? [];
    expect(JSON.parse(probe)).toEqual(["node", "-e", expect.stringContaining("/v1/health")]);
    expect(dockerfile.indexOf("npm ci")).toBeLessThan(dockerfile.indexOf("COPY src"));
  });
});
