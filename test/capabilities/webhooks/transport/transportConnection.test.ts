import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fixture, startServer } from "./transportServer.js";
import { answer, ca, createTransport, network, ok, plainPort, requestTo, serve } from "./transportSetup.js";

describe("a connection", () => {
  test("that is refused ends as CONNECTION_REFUSED", async () => {
    const server = await startServer(answer);
    await server.close();
    expect((await createTransport().send(server.request())).errorCode).toBe("CONNECTION_REFUSED");
  });

  test("that is not made in time ends as CONNECT_TIMEOUT, and its socket with it", async () => {
    const port = await plainPort();
    const transport = createTransport({ connectTimeoutMs: 50 });
    expect((await transport.send(requestTo(port))).errorCode).toBe("CONNECT_TIMEOUT");
    expect((await createTransport({ connectTimeoutMs: 50, lookup: () => new Promise(() => undefined) }).send(requestTo(port))).errorCode).toBe(
      "CONNECT_TIMEOUT",
    );
  });

  test("is waited for no longer than for the head", async () => {
    const port = await plainPort();
    const transport = createTransport({ connectTimeoutMs: 60_000, headTimeoutMs: 50 });
    expect((await transport.send(requestTo(port))).errorCode).toBe("TIMEOUT");
  });

  test("is not made any more when the attempt has ended meanwhile", async () => {
    const server = await serve(answer);
    let found = (_addresses: string[]) => {};
    const transport = createTransport({ headTimeoutMs: 30, lookup: () => new Promise((resolve) => (found = resolve)) });
    expect((await transport.send(server.request())).errorCode).toBe("TIMEOUT");
    found(["127.0.0.1"]);
    await sleep(100);
    expect([server.connections, server.ended, server.requests]).toEqual([0, 0, []]);
  });

  test("that speaks no TLS ends as TLS_FAILED", async () => {
    const port = await plainPort((socket) => socket.end("220 mail.example ESMTP\r\n"));
    expect((await createTransport().send(requestTo(port))).errorCode).toBe("TLS_FAILED");
  });

  test("to a server of an unknown authority ends as TLS_CERTIFICATE_INVALID, whatever the environment says", async () => {
    const server = await serve(answer);
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      const result = await createTransport({ network: { allowCidrs: network.allowCidrs } }).send(server.request());
      expect([result.errorCode, server.requests]).toEqual(["TLS_CERTIFICATE_INVALID", []]);
    } finally {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    }
  });

  test("to a server of another name ends as TLS_CERTIFICATE_INVALID", async () => {
    const server = await serve(answer);
    const result = await createTransport().send(server.request("other.test"));
    expect([result.errorCode, server.requests]).toEqual(["TLS_CERTIFICATE_INVALID", []]);
  });

  test("to a server of old TLS ends as TLS_FAILED", async () => {
    const server = await serve(answer, { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" });
    expect((await createTransport().send(server.request())).errorCode).toBe("TLS_FAILED");
  });
});

describe("a client certificate", () => {
  const clientCertificate = { cert: fixture("client.pem"), key: fixture("client.key") };
  const asking = { ca, requestCert: true, rejectUnauthorized: true } as const;

  test("is shown to a server that asks for it", async () => {
    const server = await serve(answer, asking);
    expect((await createTransport().send(server.request("hooks.test", { clientCertificate }))).status).toBe(200);
  });

  test("of one webhook serves no other", async () => {
    const names: (string | undefined)[] = [];
    const server = await serve(
      (socket) => {
        names.push(socket.getPeerCertificate().subject?.CN as string | undefined);
        socket.write(ok);
      },
      { ...asking, rejectUnauthorized: false },
    );
    const transport = createTransport();
    for (const certificate of [clientCertificate, undefined, { ...clientCertificate }]) {
      await transport.send(server.request("hooks.test", { clientCertificate: certificate }));
      await sleep(1);
    }
    expect([names, server.connections]).toEqual([["restwright test client", undefined, "restwright test client"], 2]);
  });

  test("that is missed ends as the server ends it", async () => {
    const server = await serve(answer, asking);
    const result = await createTransport().send(server.request());
    // With TLS 1.3 the client has long been content when the server looks.
    expect(result.errorCode).toMatch(/^(TLS_FAILED|CONNECTION_CLOSED|CONNECTION_RESET)$/);
    expect(server.requests).toEqual([]);
  });

  test("that cannot be read ends as CLIENT_CERTIFICATE_INVALID", async () => {
    const result = await createTransport().send({ ...requestTo(443), clientCertificate: { cert: "x", key: "y" } });
    expect(result.errorCode).toBe("CLIENT_CERTIFICATE_INVALID");
  });
});
