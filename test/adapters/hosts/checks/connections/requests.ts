import { expect, it } from "vitest";
import type { Echo } from "../../fixture.js";
import { useFixtureHost } from "../../fixtureHost.js";
import type { Host } from "../../host.js";

/** Pairs of the header lines with one of the names. */
function pairs({ headers }: Echo, name: string): readonly string[] {
  return headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name);
}

export function requestChecks(host: Host): void {
  const service = useFixtureHost(host);

  it.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("hands over %s", async (method) => {
    expect(await service.echo("/echo", { method })).toMatchObject({ method, path: "/echo", query: "", mount: "" });
  });

  it("hands over HEAD as HEAD", async () => {
    const { status, body } = await service.send("/echo", { method: "HEAD" });
    expect({ status, length: body.length }).toEqual({ status: 200, length: 0 });
  });

  it("hands over the path and the query undecoded", async () => {
    const path = "/echo/a%2Fb%20c/caf%C3%A9/%E2%82%AC/x+y/a;b=1/~";
    const query = "filter%5Bname%5D=a%26b&q=%C3%A9+x&empty=&q=2?&%2B";
    expect(await service.echo(`${path}?${query}`)).toMatchObject({ path, query });
  });

  it("keeps a trailing slash and repeated ones", async () => {
    expect(await service.echo("/echo//a/")).toMatchObject({ path: "/echo//a/" });
  });

  it.each(["/echo/%zz", "/echo/%", "/echo/%ff"])("leaves the malformed escape of %s to the service", async (path) => {
    expect(await service.echo(path)).toMatchObject({ path });
  });

  it.each(["json", "", "text/", "*"])("leaves the malformed Content-Type '%s' to the service", async (type) => {
    const echo = await service.echo("/echo", { method: "POST", headers: { "Content-Type": type }, body: "{}" });
    expect([pairs(echo, "content-type"), echo.body.text]).toEqual([[type], "{}"]);
  });

  it("cuts the origin off an absolute-form target", async () => {
    const connection = service.connect();
    connection.write("GET http://api.example/echo/7?q=1 HTTP/1.1\r\nHost: api.example\r\n\r\n");
    const { status, body } = await connection.readResponse();
    connection.destroy();
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ path: "/echo/7", query: "q=1" });
  });

  it("answers OPTIONS * and the next request", async () => {
    const connection = service.connect();
    connection.write("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\nGET /text HTTP/1.1\r\nHost: x\r\n\r\n");
    const statuses = [(await connection.readResponse()).status, (await connection.readResponse()).status];
    connection.destroy();
    expect(statuses[0]).toBeGreaterThanOrEqual(400);
    expect(statuses[0]).toBeLessThan(500);
    expect(statuses[1]).toBe(200);
  });

  it("hands over header values as sent", async () => {
    const echo = await service.echo("/echo", { headers: { "If-None-Match": '"a,b", W/"c"', "X-Empty": "", Accept: "a/b;q=0.5" } });
    expect(["if-none-match", "x-empty", "accept"].map((name) => pairs(echo, name))).toEqual([['"a,b", W/"c"'], [""], ["a/b;q=0.5"]]);
  });

  it.each(["Idempotency-Key", "Authorization", "If-Modified-Since", "Content-Type", "If-Match"])("does not hide a repeated %s", async (name) => {
    const connection = service.connect();
    connection.write(`POST /echo HTTP/1.1\r\nHost: x\r\n${name}: one/a\r\n${name}: two/b\r\nContent-Length: 0\r\n\r\n`);
    const { body } = await connection.readResponse();
    connection.destroy();
    expect(pairs(JSON.parse(body), name.toLowerCase())).toEqual(host.nodeRequests ? ["one/a", "two/b"] : ["one/a, two/b"]);
  });

  if (host.nodeRequests)
    it("hands over the peer's address", async () => {
      expect((await service.echo("/echo")).address).toBe("127.0.0.1");
    });

  it("keeps 100 requests at once apart", async () => {
    const numbers = Array.from({ length: 100 }, (_, index) => index);
    const echoes = await Promise.all(numbers.map((number) => service.echo(`/echo/${number}`, { method: "POST", body: `body ${number}` })));
    expect(echoes.map(({ path, body }) => [path, body.text])).toEqual(numbers.map((number) => [`/echo/${number}`, `body ${number}`]));
  });
}
