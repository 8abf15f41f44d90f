import { describe, expect, it } from "vitest";
import { send } from "../../client.js";
import { useFixtureHost } from "../../fixtureHost.js";
import type { Host } from "../../host.js";

const asJson = { "Content-Type": "application/json" };

export function bodyChecks(host: Host): void {
  const service = useFixtureHost(host);

  it("hands over a body with a length", async () => {
    expect((await service.echo("/echo", { method: "POST", headers: asJson, body: '{"a":"é"}' })).body).toEqual({ kind: "stream", text: '{"a":"é"}' });
  });

  it("hands over a chunked body", async () => {
    expect((await service.echo("/echo", { method: "PUT", body: ["one ", "two ", "three"] })).body).toEqual({ kind: "stream", text: "one two three" });
  });

  it("hands over a body without a type", async () => {
    expect((await service.echo("/echo", { method: "POST", body: "raw" })).body.text).toBe("raw");
  });

  it.each(["text/plain", "application/merge-patch+json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "a/b"])(
    "hands over a body of type %s unparsed",
    async (type) => {
      const sent = { method: "PATCH", headers: { "Content-Type": type }, body: "a=1&b=2" };
      expect((await service.echo("/echo", sent)).body.text).toBe("a=1&b=2");
    },
  );

  it.each(host.nodeRequests ? ["GET", "DELETE"] : ["GET"])("tells that %s came without a body", async (method) => {
    expect((await service.echo("/echo", { method })).body).toEqual({ kind: "none", text: "" });
  });

  it.each(["DELETE", "POST"])("hands over no bytes for a %s without a body", async (method) => {
    expect((await service.echo("/echo", { method })).body.text).toBe("");
  });

  it("hands over an empty body as no bytes", async () => {
    expect((await service.echo("/echo", { method: "POST", headers: { "Content-Length": "0" } })).body.text).toBe("");
    expect((await service.echo("/echo", { method: "POST", body: [], headers: { "Transfer-Encoding": "chunked" } })).body.text).toBe("");
  });

  it("hands over the body of a DELETE", async () => {
    expect((await service.echo("/echo", { method: "DELETE", body: '{"ids":[1]}' })).body.text).toBe('{"ids":[1]}');
  });

  it("answers a GET with a body, and the next request", async () => {
    const connection = service.connect();
    const target = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`;
    connection.write(target("/text"));
    expect((await connection.readResponse()).body).toBe("Grüße");
    connection.write(target("/text"));
    expect((await connection.readResponse()).body).toBe("Grüße");
    connection.destroy();
  });

  it("hands over a megabyte whole", async () => {
    const { body } = await service.send("/read", { method: "POST", body: new Uint8Array(1_048_576) });
    expect(body.toString()).toBe("1048576");
  });

  it("lets the service answer bad JSON", async () => {
    const { status, headers } = await service.send("/json", { method: "POST", headers: asJson, body: '{"a":' });
    expect({ status, type: headers["content-type"] }).toEqual({ status: 400, type: "application/problem+json" });
  });

  if (host.parsesBodies)
    describe("behind a body parser", () => {
      const parsing = useFixtureHost(host, { mount: "", parseBodies: true });

      it("hands over what was parsed", async () => {
        const { kind, text } = (await parsing.echo("/echo", { method: "POST", headers: asJson, body: '{"a": 1}' })).body;
        expect({ kind: kind === "stream", value: JSON.parse(text) }).toEqual({ kind: false, value: { a: 1 } });
      });

      it("still tells that there was no body", async () => {
        expect((await parsing.echo("/echo")).body.kind).toBe("none");
      });

      it("answers the next request on the connection", async () => {
        const connection = parsing.connect();
        for (const number of [1, 2]) {
          connection.write(`POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":${number}}`);
          expect(JSON.parse(JSON.parse((await connection.readResponse()).body).body.text)).toEqual({ a: number });
        }
        connection.destroy();
      });
    });

  if (host.name === "fastify")
    it("leaves the host's own parsers to its own routes", async () => {
      const { body } = await send(service.port, "/own", { method: "POST", headers: asJson, body: '{"a":1}' });
      expect(JSON.parse(body.toString())).toEqual({ parsed: { a: 1 } });
    });
}
