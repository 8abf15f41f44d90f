// @slow

import { createHash } from "node:crypto";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { createService, defineResource } from "restwright";
import { bearer } from "restwright/auth";
import { docs } from "restwright/docs";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, readPieces, requestOf } from "../../tools/client.js";
import { operationsOf, stage } from "../openapi/stage.js";
import { attributesOf, brokenAnchors, crawl, textOf } from "./pageSite.js";

const notes = defineResource("notes", {
  schema: z.object({
    id: z.int(),
    text: z
      .string()
      .max(80)
      .meta({ description: "What to **remember**.", examples: ["Buy seeds"] }),
  }),
  generated: { id: "increment" },
});
const openapiOptions = { info: { title: "Notes", version: "1.2.3", description: "A small service." } };

function smallService(options: Parameters<typeof docs>[0] = {}) {
  return createService({ resources: [notes], storage: memoryStorage(), logger: false, use: [openapi(openapiOptions), docs(options)] });
}

test("a group begins with the operations of its own path, then shows those below other rows", async () => {
  const { text } = await clientOf(stage({ use: [docs()] }))({ target: "/docs/tags/books" });
  const ids = attributesOf(text, "id").filter((id) => /^(?:authors\.)?books\.\w+$/.test(id));
  const below = ids.filter((id) => id.startsWith("authors."));
  expect(below.length).toBeGreaterThan(3);
  expect(ids.slice(-below.length)).toEqual(below);
});

describe("without a script", () => {
  for (const [kind, service] of [
    ["one page", smallService()],
    ["a page for each tag", stage({ use: [docs()] })],
  ] as const) {
    test(`${kind}: every operation, parameter, code, schema and example can be read`, async () => {
      const site = await crawl(clientOf(service));
      const text = [...site.values()].map(textOf).join(" ");
      const document = await service.document();
      for (const { operationId, path, method, ...rest } of operationsOf(document).values()) {
        for (const part of [operationId, path, `${method} `, rest.summary]) expect(text).toContain(part);
        expect([...site.values()].some((page) => attributesOf(page, "id").includes(operationId))).toBe(true);
      }
      for (const { name, description = "" } of Object.values(document.components["parameters"] ?? {}) as { name: string; description?: string }[]) {
        expect(text).toContain(name);
        expect(text.replaceAll(/[`* ]/g, "")).toContain(description.replaceAll(/[`* \n]/g, ""));
      }
      for (const name of Object.keys(document.components["schemas"] ?? {})) expect(text).toContain(name);
      for (const example of Object.values(document.components["examples"] ?? {}) as {
        value: { code: string; title: string; detail: string; status: number };
      }[]) {
        const { code, detail, status } = example.value;
        for (const part of [code, detail, String(status)]) expect(text).toContain(part);
      }
    });

    test(`${kind}: every link leads somewhere`, async () => {
      const site = await crawl(clientOf(service));
      expect(brokenAnchors(site)).toEqual([]);
      const pages = [...site.keys()].filter((at) => !at.includes("/assets/") && at.startsWith("/docs"));
      expect(pages.length > 1).toBe(kind !== "one page");
      for (const at of pages) {
        const ids = attributesOf(site.get(at) ?? "", "id");
        expect(new Set(ids).size).toBe(ids.length);
      }
    });
  }

  test("a description, its examples and the three forms of a request are shown", async () => {
    const { text } = await clientOf(smallService())({ target: "/docs" });
    expect(text).toContain("<p>What to <strong>remember</strong>.</p>");
    const shown = textOf(text);
    for (const part of [
      "A small service.",
      "Version 1.2.3",
      '"Buy seeds"',
      "curl -X POST '",
      "await fetch(",
      "await client.notes.create({",
      "80 characters",
    ]) {
      expect(shown).toContain(part);
    }
  });
});

describe("where it is", () => {
  test("links hold below a mount, and below the prefix of a proxy", async () => {
    for (const service of [smallService(), stage({ use: [docs()] })]) {
      for (const mount of ["/v1", "/proxy/v1"]) expect(brokenAnchors(await crawl(clientOf(service), { mount }))).toEqual([]);
    }
  });

  test("at a path of several segments, the OpenAPI document is found too", async () => {
    const site = await crawl(clientOf(smallService({ path: "/about/the-api" })), { first: "/about/the-api", mount: "/v1" });
    expect([...site.keys()].sort()).toEqual(expect.arrayContaining(["/v1/about/the-api", "/v1/openapi.json"]));
    expect(site.get("/v1/about/the-api")).toContain('data-root="../"');
  });

  test("other paths below it are not served", async () => {
    const send = clientOf(stage({ use: [docs()] }));
    for (const target of ["/docs/tags/nothing", "/docs/assets/a/page.css", "/docs/assets/../package.json", "/docs/assets/..%2f/page.js"]) {
      expect((await send({ target }).catch(() => ({ status: 404 }))).status).toBe(404);
    }
  });
});

describe("for its caller", () => {
  const birds = { authorization: "Bearer birds" };

  test("what is hidden occurs nowhere", async () => {
    const send = clientOf(stage({ use: [docs()] }));
    const visited = [...(await crawl(send)).values(), ...(await crawl(send, { headers: { authorization: "Bearer fish" } })).values()];
    for (const page of visited) expect(page.toLowerCase()).not.toContain("canary");
    const shown = [...(await crawl(send, { headers: birds })).values()].join("");
    for (const trace of ["canary", "DUPLICATE_CANARY"]) expect(shown).toContain(trace);
  });

  test("operations that authorize refuses are left out", async () => {
    const send = clientOf(stage({ authorize: ({ action }) => action === "list", use: [docs()] }));
    expect([...(await crawl(send, { headers: birds })).values()].join("")).not.toContain("books.create");
    expect([...(await crawl(send)).values()].join("")).toContain("books.create");
  });

  test("callers with the same rights get the same page, of which a 304 is known", async () => {
    const send = clientOf(stage({ use: [docs()] }));
    const ask = (token: string, more = {}) => send({ target: "/docs/tags/authors", headers: { authorization: `Bearer ${token}`, ...more } });
    const [a, b, c] = [await ask("a"), await ask("b"), await ask("birds")];
    expect(a.headers["etag"]).toMatch(/^"[\w-]{22}"$/);
    expect(b.headers["etag"]).toBe(a.headers["etag"]);
    expect(c.headers["etag"]).not.toBe(a.headers["etag"]);
    expect(a.headers).toMatchObject({ "cache-control": "private, no-cache", vary: expect.stringMatching(/authorization/i) });
    const again = await ask("c", { "if-none-match": a.headers["etag"] });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  test("visibleTo is that of the document, unless the pages have their own", async () => {
    const status = async (use: Parameters<typeof stage>[0], headers = {}) => (await clientOf(stage(use))({ target: "/docs", headers })).status;
    expect(await status({ openapi: { visibleTo: "authenticated" }, use: [docs()] })).toBe(401);
    expect(await status({ openapi: { visibleTo: "authenticated" }, use: [docs()] }, birds)).toBe(200);
    expect(await status({ openapi: { visibleTo: "authenticated" }, use: [docs({ visibleTo: "everyone" })] })).toBe(200);
    const onlyFish = docs({ visibleTo: ({ id }) => id === "fish" });
    expect(await status({ use: [onlyFish] }, birds)).toBe(404);
    expect(await status({ use: [onlyFish] }, { authorization: "Bearer fish" })).toBe(200);
    expect(await status({ use: [onlyFish] })).toBe(401);
  });

  test("a transform is seen", async () => {
    const transform = (document: object, { id }: { readonly id: string }) => ({ ...document, info: { title: `For ${id}`, version: "1" } }) as never;
    const service = createService({
      resources: [notes],
      storage: memoryStorage(),
      logger: false,
      auth: [bearer((token) => ({ id: token }))],
      use: [openapi({ ...openapiOptions, transform }), docs()],
    });
    for (const id of ["ann", "bob"])
      expect((await clientOf(service)({ target: "/docs", headers: { authorization: `Bearer ${id}` } })).text).toContain(`<h1>For ${id}</h1>`);
  });
});

describe("what is sent", () => {
  test("a page has the strict policy", async () => {
    const { headers, text } = await clientOf(smallService())({ target: "/docs" });
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache",
    });
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script>|<script [^>]*>[^<]/);
  });

  test("without tryIt, the page may not connect to anything", async () => {
    const { headers, text } = await clientOf(smallService({ tryIt: false }))({ target: "/docs" });
    expect(headers["content-security-policy"]).toContain("connect-src 'none'");
    expect(text).not.toContain("data-try");
  });

  test("its files are compressed, kept for good, and have the sum that the page names", async () => {
    const service = smallService();
    const { text } = await clientOf(service)({ target: "/docs" });
    const [style = "", script = ""] = [/href="(docs\/assets\/[^"]+)"/, /src="(docs\/assets\/[^"]+)"/].map((found) => found.exec(text)?.[1] ?? "");
    const sums = attributesOf(text, "integrity");
    let together = 0;
    for (const [index, path] of [style, script].entries()) {
      const asked = async (coding?: string) => {
        const response = await service.handle(requestOf({ target: `/${path}`, headers: coding === undefined ? {} : { "accept-encoding": coding } }));
        expect(response?.headers).toMatchObject({ "cache-control": "public, max-age=31536000, immutable", vary: "Accept-Encoding" });
        expect(response?.headers["content-encoding"]).toBe(coding?.split(";")[0]);
        return readPieces(response?.body ?? null);
      };
      const [plain, br, gzip] = [await asked(), await asked("br"), await asked("gzip")];
      expect(brotliDecompressSync(br).equals(plain) && gunzipSync(gzip).equals(plain)).toBe(true);
      expect(sums[index]).toBe(`sha384-${createHash("sha384").update(plain).digest("base64")}`);
      together += gzipSync(plain).length;
    }
    expect(together).toBeLessThan(40_000);
  });
});

test("docs() without openapi() is an error at start-up", () => {
  expect(() => createService({ resources: [notes], storage: memoryStorage(), use: [docs()] })).toThrow(/openapi/);
});

describe("the document below the first page", () => {
  const openWith = (path: string, options: Parameters<typeof docs>[0] = {}) =>
    createService({ resources: [notes], storage: memoryStorage(), logger: false, use: [docs(options), openapi({ ...openapiOptions, path })] });

  test.each([
    ["/docs/openapi.json", "/docs"],
    ["/docs/v1/openapi.json", "/docs"],
    ["/api/openapi.json", "/api/docs"],
    ["/api/docs/openapi.json", "/api/docs"],
    ["/docs.json", "/docs"],
  ])("%s is served beside the pages at %s, which link to it", async (path, at) => {
    const service = openWith(path, { path: at });
    const send = clientOf(service);
    const site = await crawl(send, { first: at });
    expect(brokenAnchors(site)).toEqual([]);
    expect(JSON.parse(site.get(path) ?? "")).toMatchObject({ openapi: "3.1.1" });
    expect((await send({ target: at })).headers["content-type"]).toMatch(/^text\/html/);
    await service.close();
  });

  test.each(["/docs", "/docs/reference", "/docs/tags/notes", "/docs/assets/openapi.json"])("%s is refused, as a page or a file is there", (path) => {
    expect(() => openWith(path)).toThrow(
      `openapi: "path" is "${path}", where docs() has a page or a file; write a path such as "/docs/openapi.json".`,
    );
  });

  test("no resource can have the name of the first segment", () => {
    const named = defineResource("docs", { schema: z.object({ id: z.int() }) });
    const use = [openapi({ ...openapiOptions, path: "/docs/openapi.json" }), docs()];
    expect(() => createService({ resources: [named], storage: memoryStorage(), logger: false, use })).toThrow("the API is described there");
  });
});
