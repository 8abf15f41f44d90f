import { describe, expect, it } from "vitest";
import { useFixtureHost } from "../../fixtureHost.js";
import type { Host } from "../../host.js";

export function mountChecks(host: Host): void {
  describe.each([{ mount: "" }, { mount: "/v1" }, { mount: "/api/v1" }])("at '$mount'", ({ mount }) => {
    const service = useFixtureHost(host, { mount });

    it("tells the mount and the path below it", async () => {
      expect(await service.echo(`${mount}/echo/a%2Fb?q=1`)).toMatchObject({ mount, path: "/echo/a%2Fb", query: "q=1" });
    });

    it("reaches the service at the mount itself", async () => {
      expect((await service.send(mount === "" ? "/" : mount)).body.toString()).toBe("root");
    });

    it("reaches the service at the mount with a slash behind it", async () => {
      expect((await service.send(`${mount}/`)).body.toString()).toBe("root");
    });

    it("cuts the mount off an absolute-form target", async () => {
      const connection = service.connect();
      connection.write(`GET http://api.example${mount}/echo HTTP/1.1\r\nHost: api.example\r\n\r\n`);
      const { body } = await connection.readResponse();
      connection.destroy();
      expect(JSON.parse(body)).toMatchObject({ mount, path: "/echo" });
    });

    if (host.framework)
      it("goes on to the host's own routes", async () => {
        const { status, body } = await service.send("/own");
        expect({ status, body: body.toString() }).toEqual({ status: 200, body: "own route" });
      });

    if (host.framework)
      it("leaves paths of nobody to the host's own 404", async () => {
        const { status, headers } = await service.send(`${mount}/nobody`);
        expect({ status, type: headers["content-type"] }).not.toMatchObject({ type: "application/problem+json" });
        expect(status).toBe(404);
      });

    if (!host.framework)
      it("answers paths of nobody with a 404 problem", async () => {
        const { status, headers, body } = await service.send(`${mount}/nobody`, { headers: { "X-Request-ID": "r-7" } });
        expect({ status, type: headers["content-type"] }).toEqual({ status: 404, type: "application/problem+json" });
        expect(JSON.parse(body.toString())).toMatchObject({ status: 404, code: "NOT_FOUND", requestId: "r-7" });
        expect(headers["x-request-id"]).toBe("r-7");
      });

    if (!host.framework)
      it("says of a path with a slash at its end to try it without", async () => {
        const detailOf = async (path: string) => JSON.parse((await service.send(`${mount}${path}`)).body.toString()).detail;
        expect(await detailOf("/echoes/")).toBe("Nothing stands at this path; try it without the slash at its end.");
        expect(await detailOf("/nobody")).toBe("Nothing stands at this path.");
      });

    if (mount !== "")
      it("does not take a longer first segment for the mount", async () => {
        expect((await service.send(`${mount}0/echo`)).status).toBe(404);
      });

    if (mount !== "")
      it("does not stand outside its mount", async () => {
        expect((await service.send("/echo")).status).toBe(404);
      });
  });
}
