import { expect, it } from "vitest";
import { lines } from "../../client.js";
import { useFixtureHost } from "../../fixtureHost.js";
import type { Host } from "../../host.js";

export function responseChecks(host: Host): void {
  const service = useFixtureHost(host);
  const cookieNames = (cookies: readonly string[]) => cookies.map((cookie) => cookie.split(";")[0]);

  it.each([
    { path: "/cookies", cookies: ["a=1", "b=2"] },
    { path: "/cookie", cookies: ["a=1"] },
  ])("sends each Set-Cookie of $path as a line, behind the host's own", async ({ path, cookies }) => {
    const received = lines(await service.send(path), "set-cookie");
    expect(cookieNames(received)).toEqual(host.setsHeaders ? ["host=1", ...cookies] : cookies);
  });

  it("sends a list header", async () => {
    const received = await service.send("/links");
    expect(lines(received, "link").join(", ")).toBe("</1>; rel=a, </2>; rel=b");
  });

  it.each(["/vary", "/vary-by-origin"])("adds to the host's Vary (%s)", async (path) => {
    const names = (await service.send(path)).headers.vary?.toLowerCase().split(/, */);
    expect(new Set(names)).toEqual(new Set(host.setsHeaders || path === "/vary-by-origin" ? ["origin", "accept"] : ["accept"]));
  });

  if (host.setsHeaders)
    it("keeps the host's Vary where the service has none", async () => {
      expect((await service.send("/text")).headers.vary).toBe("Origin");
    });

  it("sends text with its length in bytes", async () => {
    const { status, headers, body } = await service.send("/text");
    expect({ status, length: headers["content-length"], type: headers["content-type"], text: body.toString() }).toEqual({
      status: 200,
      length: "7",
      type: "text/plain; charset=utf-8",
      text: "Grüße",
    });
  });

  it("sends bytes as they are", async () => {
    const { headers, body } = await service.send("/bytes");
    expect({ bytes: [...body], type: headers["content-type"] }).toEqual({ bytes: [0, 255, 13, 10], type: "application/octet-stream" });
  });

  it("leaves the type of a problem alone", async () => {
    const { status, headers, body } = await service.send("/problem");
    expect({ status, type: headers["content-type"] }).toEqual({ status: 400, type: "application/problem+json" });
    expect(JSON.parse(body.toString())).toEqual({ status: 400, code: "MALFORMED_JSON" });
  });

  it("leaves the type of JSON alone", async () => {
    expect((await service.send("/echo")).headers["content-type"]).toBe("application/json");
  });

  it.each(["/text", "/bytes", "/problem", "/stream?chunks=3&sized"])("answers HEAD of %s with the headers of GET and no body", async (path) => {
    const get = await service.send(path);
    const head = await service.send(path, { method: "HEAD" });
    expect(head.body.length).toBe(0);
    expect([head.status, head.headers["content-length"], head.headers["content-type"]]).toEqual([
      get.status,
      get.headers["content-length"],
      get.headers["content-type"],
    ]);
  });

  it("keeps the connection in step after a HEAD", async () => {
    const connection = service.connect();
    connection.write("HEAD /text HTTP/1.1\r\nHost: x\r\n\r\nGET /bytes HTTP/1.1\r\nHost: x\r\n\r\n");
    const head = await connection.readResponse({ bodiless: true });
    const get = await connection.readResponse();
    connection.destroy();
    expect([head.headers.get("content-length"), get.headers.get("content-length")]).toEqual(["7", "4"]);
  });

  it.each([
    { path: "/nothing", expected: 204 },
    { path: "/unchanged", expected: 304 },
  ])("sends $expected bare", async ({ path, expected }) => {
    const { status, headers, body } = await service.send(path);
    expect({
      status,
      etag: headers.etag,
      length: headers["content-length"],
      type: headers["content-type"],
      coding: headers["transfer-encoding"],
    }).toEqual({
      status: expected,
      etag: '"1"',
      length: undefined,
      type: undefined,
      coding: undefined,
    });
    expect(body.length).toBe(0);
  });

  it("keeps the status of an answer without a body", async () => {
    const { status, headers, body } = await service.send("/created", { method: "POST" });
    expect({ status, location: headers.location, length: headers["content-length"], body: body.toString() }).toEqual({
      status: 201,
      location: "/echo/7",
      length: "0",
      body: "",
    });
  });
}
