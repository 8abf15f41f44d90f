import { expect, it } from "vitest";
import { keepAliveAgent, send } from "../../client.js";
import { useFixtureHost } from "../../fixtureHost.js";
import type { Host } from "../../host.js";

export function failureChecks(host: Host): void {
  const service = useFixtureHost(host);

  if (host.framework)
    it("hands an error of the service to the host", async () => {
      const { status, headers, body } = await service.send("/fail");
      expect({ status, marked: headers["x-host-error"], body: body.toString() }).toEqual({ status: 500, marked: "1", body: "host error" });
    });

  if (!host.framework)
    it("answers an error of the service with 500 and without its text", async () => {
      const { status, body } = await service.send("/fail");
      expect({ status, told: body.includes("broken") }).toEqual({ status: 500, told: false });
    });

  it("answers the next request after an error", async () => {
    const agent = keepAliveAgent();
    const statuses = [];
    for (const path of ["/fail", "/text", "/fail", "/text"]) statuses.push((await send(service.port, path, {}, agent)).status);
    agent.destroy();
    expect(statuses).toEqual([500, 200, 500, 200]);
  });

  it.each([
    { path: "/fail", read: "nothing" },
    { path: "/fail-after-a-chunk", read: "a chunk" },
  ])("answers an error that came when $read of the body was read, and the next request", async ({ path }) => {
    const agent = keepAliveAgent();
    const first = await send(service.port, path, { method: "POST", body: "x".repeat(48 * 1024) }, agent);
    const next = await send(service.port, "/text", {}, agent);
    agent.destroy();
    expect([first.status, next.status]).toEqual([500, 200]);
  });
}
