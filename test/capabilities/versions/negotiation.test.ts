import { createService, defineResource, type ServiceOptions } from "restwright";
import { memoryStorage } from "restwright/memory";
import { change, type VersionsOptions, versions } from "restwright/versions";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";

const schema = z.object({ id: z.int(), text: z.string() });
const upper = change({
  replaces: schema.pick({ text: true }),
  by: z.object({ loud: z.string() }),
  read: ({ text }) => ({ loud: text.toUpperCase() }),
  write: ({ loud }) => ({ text: loud.toLowerCase() }),
});
const notes = defineResource("notes", { schema, generated: { id: "increment" }, versions: { v1: [upper] } });

function start(options: Partial<VersionsOptions> = {}, service: Partial<ServiceOptions> = {}) {
  const use = [versions({ vendor: "acme", default: "v1", schema: "v2", supported: { v1: {}, v2: {} }, ...options })];
  return clientOf(createService({ resources: [notes], storage: memoryStorage(), use, ...service }));
}

const v = (number: number) => `application/vnd.acme.v${number}+json`;

describe("a version is named by Accept or X-API-Version", () => {
  const json = "application/json";
  const cases: readonly [accept: string | undefined, header: string | undefined, version: string, type: string][] = [
    [undefined, undefined, "v1", json],
    ["*/*", undefined, "v1", json],
    ["application/json", undefined, "v1", json],
    [v(2), undefined, "v2", v(2)],
    ["APPLICATION/VND.ACME.V2+JSON", undefined, "v2", v(2)],
    [`${v(2)}; charset=utf-8`, undefined, "v2", v(2)],
    [`text/html, ${v(2)}, */*;q=0.1`, undefined, "v2", v(2)],
    [`${v(1)};q=0.5, ${v(2)}`, undefined, "v2", v(2)],
    [`${v(2)};q=0.5, ${v(1)}`, undefined, "v1", v(1)],
    [`${v(2)};q=0.5, application/json`, undefined, "v1", json],
    [`${v(9)}, application/json`, undefined, "v1", json],
    [`${v(9)}, ${v(2)}`, undefined, "v2", v(2)],
    ["application/vnd.other.v2+json, */*", undefined, "v1", json],
    [undefined, "v2", "v2", json],
    [undefined, "2", "v2", json],
    [undefined, " V2 ", "v2", json],
    ["*/*", "v2", "v2", json],
    [v(2), "v2", "v2", v(2)],
  ];
  test.each(cases)("Accept %s and X-API-Version %s mean %s", async (accept, header, version, type) => {
    const headers = { ...(accept === undefined ? {} : { accept }), ...(header === undefined ? {} : { "x-api-version": header }) };
    const { status, headers: sent } = await start()({ target: "/notes", headers });
    expect([status, sent["x-api-version"], sent["content-type"]]).toEqual([200, version, type]);
    expect(sent["vary"]).toBe("X-API-Version, Accept");
  });

  test.each([
    [v(9), undefined, 406, "NOT_ACCEPTABLE"],
    [`${v(9)};q=1, ${v(2)};q=0`, undefined, 406, "NOT_ACCEPTABLE"],
    ["application/vnd.acme.v2+xml", undefined, 406, "NOT_ACCEPTABLE"],
    ["application/vnd.acme.v2", undefined, 406, "NOT_ACCEPTABLE"],
    [undefined, "v9", 400, "UNSUPPORTED_VERSION"],
    [undefined, "", 400, "UNSUPPORTED_VERSION"],
    [undefined, "v2.0", 400, "UNSUPPORTED_VERSION"],
    [undefined, "toString", 400, "UNSUPPORTED_VERSION"],
    [undefined, "v1, v2", 400, "REPEATED_HEADER"],
    [v(1), "v2", 400, "UNSUPPORTED_VERSION"],
  ])("Accept %s and X-API-Version %s are %i %s", async (accept, header, status, code) => {
    const headers = { ...(accept === undefined ? {} : { accept }), ...(header === undefined ? {} : { "x-api-version": header }) };
    const answer = await start()({ target: "/notes", headers });
    expect(answer).toMatchObject({ status, json: { code }, headers: { "content-type": "application/problem+json" } });
    if (code === "NOT_ACCEPTABLE") expect(answer.json.supported).toEqual([v(1), v(2)]);
    if (status === 400 && header !== "v1, v2" && accept === undefined) expect(answer.json.supported).toEqual(["v1", "v2"]);
  });
});

test("a body names the version of its request, or none", async () => {
  const send = start();
  const body = { text: "hi" };
  const post = (type: string, version: string) =>
    send({ method: "POST", target: "/notes", headers: { "content-type": type, "x-api-version": version }, body });
  expect((await post(v(2), "v2")).status).toBe(201);
  expect((await post("application/json", "v2")).status).toBe(201);
  expect(await post(v(1), "v2")).toMatchObject({ status: 415, json: { code: "UNSUPPORTED_MEDIA_TYPE", supported: ["application/json", v(2)] } });
  expect((await send({ method: "POST", target: "/notes", headers: { "content-type": v(2) }, body })).status).toBe(415);
});

test("answers of an old version say when it ends, and where to read about it", async () => {
  const v1 = { deprecated: new Date("2026-03-01T00:00:00Z"), sunset: new Date("2026-12-01T10:00:00Z"), link: "https://acme.example/v1" };
  const send = start({ supported: { v1, v2: {} } });
  const expected = {
    deprecation: "@1772323200",
    sunset: "Tue, 01 Dec 2026 10:00:00 GMT",
  };
  const links = '<https://acme.example/v1>; rel="deprecation", <https://acme.example/v1>; rel="sunset"';
  const list = await send({ target: "/notes" });
  expect(list.headers).toMatchObject({
    ...expected,
    link: `</notes>; rel="self", </notes?page=1>; rel="first", </notes?page=1>; rel="last", ${links}`,
  });
  const missing = await send({ target: "/notes/1" });
  expect(missing).toMatchObject({ status: 404, headers: { ...expected, link: links, "x-api-version": "v1" } });
  const current = await send({ target: "/notes", headers: { "x-api-version": "v2" } });
  expect(Object.keys(current.headers)).not.toContain("deprecation");
  expect(Object.keys(current.headers)).not.toContain("sunset");
});

test("the path of a page about an old version is that of the service, below its mount or its public address", async () => {
  const v1 = { deprecated: new Date("2026-03-01T00:00:00Z"), link: "/docs" };
  const versioned = { supported: { v1, v2: {} } };
  const linkOf = async (options: Partial<ServiceOptions>, mount: string) => {
    const { headers } = await start(versioned, options)({ target: "/notes/1", mount });
    return headers["link"];
  };
  expect(await linkOf({}, "")).toBe('</docs>; rel="deprecation"');
  expect(await linkOf({}, "/api/notes")).toBe('</api/notes/docs>; rel="deprecation"');
  expect(await linkOf({ baseUrl: "https://acme.example/v1/" }, "/api")).toBe('<https://acme.example/v1/docs>; rel="deprecation"');
});

test("an answer that varies already keeps what it varies by", async () => {
  const auth = [{ scheme: "Bearer", challenge: () => ({}), verify: async () => undefined }] as unknown as NonNullable<ServiceOptions["auth"]>;
  const unknown = await start({}, { auth })({ target: "/notes", headers: { "x-api-version": "v9" } });
  expect(unknown.status).toBe(401);
  const { headers } = await start({}, { auth, anonymous: "allow" })({ target: "/notes" });
  expect(headers["vary"]).toBe("Authorization, X-API-Version, Accept");
});

test("unknown paths and other services are none of its business", async () => {
  const service = createService({
    resources: [notes],
    storage: memoryStorage(),
    use: [versions({ vendor: "acme", default: "v1", schema: "v2", supported: { v1: {}, v2: {} } })],
  });
  const request = {
    method: "GET",
    path: "/nothing",
    query: "",
    mount: "",
    headers: ["X-API-Version", "v9"],
    body: { kind: "none" as const },
    signal: new AbortController().signal,
    native: undefined,
  };
  expect(await service.handle(request)).toBeUndefined();
});

describe("impossible options are errors at start-up", () => {
  const usual: VersionsOptions = { vendor: "acme", default: "v1", schema: "v2", supported: { v1: {}, v2: {} } };
  test.each<[Partial<VersionsOptions>, RegExp]>([
    [{ vendor: "Acme Inc" }, /vendor/],
    [{ default: "v3" }, /"default" is "v3", which is not in "supported": v1, v2/],
    [{ schema: "v3" }, /"schema" is "v3"/],
    [{ supported: { v1: {}, two: {} } }, /versions are called v1, v2/],
    [{ supported: { v2: {}, v1: {} } }, /oldest/],
    [{ supported: { v1: { deprecated: new Date(2), sunset: new Date(1) }, v2: {} } }, /before its deprecation/],
    [{ supported: { v1: { link: "https://acme.example" }, v2: {} } }, /neither "deprecated" nor "sunset"/],
    [{ supported: { v1: { link: "nowhere" }, v2: {} } }, /a URL, or a path/],
  ])("%j", (options, message) => {
    expect(() => versions({ ...usual, ...options })).toThrow(message);
  });

  test("a version of a resource that is not supported, and versions without the capability", () => {
    const create = (supported: VersionsOptions["supported"], given = notes) =>
      createService({ resources: [given], storage: memoryStorage(), use: [versions({ ...usual, default: "v2", supported })] });
    expect(() => create({ v2: {} })).toThrow(/notes: "versions" has "v1", which is not in "supported" of versions\(\): v2/);
    const own = defineResource("notes", { schema, versions: { v2: [upper] } });
    expect(() => create({ v1: {}, v2: {} }, own)).toThrow(/"v2", which is the version of the schema/);
    expect(() => createService({ resources: [notes], storage: memoryStorage() })).toThrow(/add versions\(/);
  });

  test.each<[Parameters<typeof change>[0] | undefined, RegExp]>([
    [
      { replaces: z.object({ nothing: z.string() }), by: z.object({}), read: () => ({}), write: () => ({}) },
      /replaces "nothing"; there are: id, text/,
    ],
    [{ replaces: z.object({ id: z.int() }), by: z.object({}), read: () => ({}), write: () => ({}) }, /ids and foreign keys/],
    [{ replaces: z.object({}), by: z.object({ text: z.string() }), read: () => ({ text: "" }), write: () => ({}) }, /adds "text", which exists/],
  ])("a change that cannot work: %#", (options, message) => {
    const broken = defineResource("notes", { schema, versions: { v1: options === undefined ? [] : [change(options)] } });
    expect(() => createService({ resources: [broken], storage: memoryStorage(), use: [versions(usual)] })).toThrow(message);
  });
});
