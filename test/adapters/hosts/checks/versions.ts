import { createService } from "restwright";
import { csv, formats, ndjson } from "restwright/formats";
import { hooks } from "restwright/hooks";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { uploads } from "restwright/uploads";
import { xml } from "restwright/xml";
import { afterAll, beforeAll, expect, it } from "vitest";
import { users } from "../../../../examples/shop/resources.js";
import { shopVersions } from "../../../../examples/shop/versions.js";
import { type Sent, send } from "../client.js";
import type { Host, RunningHost } from "../host.js";

const type = "application/vnd.shop.v2+json";

/** A host that replaces Accept or Content-Type, or joins repeated headers, would mix versions. */
export function versionChecks(host: Host): void {
  const service = createService({
    resources: [{ ...users, relations: new Map() }],
    storage: memoryStorage(),
    logger: false,
    use: [shopVersions(), uploads({ blobs: memoryBlobs(), types: "any" }), hooks(), formats({ use: [csv(), ndjson(), xml()] })],
  });
  let running: RunningHost;
  const at = async (path: string, { headers, ...sent }: Sent = {}) => {
    const answer = await send(running.port, `/v1${path}`, { ...sent, headers: { "Content-Type": "application/json", ...headers } });
    return { ...answer, json: JSON.parse(answer.body.toString() || "null") };
  };

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });

  it("takes and gives each version of a row, with the media type that was asked for", async () => {
    const body = JSON.stringify({ email: "ada@example.com", name: { givenName: "Ada", familyName: "Lovelace" } });
    const made = await at("/users", { method: "POST", headers: { Accept: type, "Content-Type": type }, body });
    expect([made.status, made.headers["content-type"], made.headers["x-api-version"]]).toEqual([201, type, "v2"]);
    expect(made.json.name).toEqual({ givenName: "Ada", familyName: "Lovelace" });
    const old = await at("/users/1");
    expect(old.json.name).toBe("Ada Lovelace");
    expect(old.headers).toMatchObject({ "x-api-version": "v1", deprecation: "@1793491200", sunset: "Mon, 01 Nov 2027 00:00:00 GMT" });
    expect(old.headers["link"]).toBe('</v1/docs>; rel="deprecation", </v1/docs>; rel="sunset"');
    expect(old.headers["vary"]?.split(", ")).toEqual(expect.arrayContaining(["X-API-Version", "Accept"]));
  });

  it("refuses versions that do not exist, and two at a time", async () => {
    const unknown = await at("/users", { headers: { Accept: "application/vnd.shop.v9+json" } });
    expect([unknown.status, unknown.json.code]).toEqual([406, "NOT_ACCEPTABLE"]);
    const header = await at("/users", { headers: { "X-API-Version": "v9" } });
    expect([header.status, header.json.code]).toEqual([400, "UNSUPPORTED_VERSION"]);
    const both = await at("/users", { headers: { Accept: type, "X-API-Version": "v1" } });
    expect([both.status, both.json.code]).toEqual([400, "UNSUPPORTED_VERSION"]);
  });

  it("gives a 304 only for the tag of the same version", async () => {
    const { headers } = await at("/users/1", { headers: { "X-API-Version": "v2" } });
    const tag = headers["etag"] ?? "";
    const again = await send(running.port, "/v1/users/1", { headers: { "X-API-Version": "v2", "If-None-Match": tag } });
    expect([again.status, again.headers["x-api-version"]]).toEqual([304, "v2"]);
    expect((await send(running.port, "/v1/users/1", { headers: { "If-None-Match": tag } })).status).toBe(200);
  });
}
