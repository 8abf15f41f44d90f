import { ConfigurationError, createService, defineResource, ProblemError, problem } from "restwright";
import { type Catalogue, languages } from "restwright/languages";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

const de: Catalogue = {
  titles: {
    "404": "Nicht gefunden",
    "409": "Konflikt",
    "412": "Vorbedingung nicht erfüllt",
    "422": "Nicht verarbeitbar",
    "400": "Ungültige Anfrage",
  },
  texts: {
    'There is no "{id}" in "{collection}".': "„{id}“ gibt es in „{collection}“ nicht.",
    "Required; expected {type}.": "Erforderlich; erwartet: {type}.",
    "Sold out: {name}.": "Ausverkauft: {name}.",
  },
  codes: {
    PRECONDITION_FAILED: () => {
      throw new Error("my catalogue is broken");
    },
  },
};

const things = defineResource("things", {
  schema: z.object({ id: z.int(), name: z.string() }),
  generated: { id: "increment" },
  create: ({ name }) => {
    if (name === "gone") throw new ProblemError("CONFLICT", "Sold out: gone.");
    if (name === "own") throw new ProblemError("CONFLICT", "My very own text.");
    if (name === "eigen") throw new ProblemError("CONFLICT", "Mein eigener Text.", { headers: { "content-language": "de-AT" } });
    return Promise.resolve(undefined);
  },
});

const messages: string[] = [];
const note = (_: unknown, message: string) => void messages.push(message);

function stage(use = [languages({ de })]) {
  messages.length = 0;
  const logger = { error: note, warn: note, info: note, debug: note };
  const service = fullService({ resources: [things], storage: memoryStorage(), logger, more: use });
  const send = clientOf(service);
  return {
    get: (accept: string | undefined, target = "/things/7") => send({ target, headers: accept === undefined ? {} : { "accept-language": accept } }),
    post: (body: unknown, headers = {}, target = "/things") =>
      send({ method: "POST", target, body, headers: { "accept-language": "de", ...headers } }),
    send,
  };
}

const german = { title: "Nicht gefunden", detail: "„7“ gibt es in „things“ nicht.", code: "NOT_FOUND" };
const english = { title: "Not Found", detail: 'There is no "7" in "things".', code: "NOT_FOUND" };

describe("the language of a problem", () => {
  test.each([
    ["de", german],
    ["de-AT, en;q=0.5", german],
    ["fr, de;q=0.1", german],
    ["en, de", english],
    ["fr", english],
    ["*", english],
    [undefined, english],
    ["de;q=0", english],
    [`de${", de".repeat(60)}`, english],
    ["%%%", english],
  ])("for Accept-Language: %s", async (accept, problem) => {
    const { status, headers, json } = await stage().get(accept);
    expect(status).toBe(404);
    expect(json).toMatchObject(problem);
    expect(headers).toMatchObject({ "content-language": problem === german ? "de" : "en", vary: "Accept-Language" });
  });

  test("is the default for clients that ask for none of the languages", async () => {
    const { get } = stage([languages({ de, default: "de" })]);
    expect((await get(undefined)).json).toMatchObject(german);
    expect((await get("fr")).json).toMatchObject(german);
    expect((await get("en")).json).toMatchObject(english);
  });

  test("is named without the capability too, and then does not vary", async () => {
    const { headers, json } = await stage([]).get("de");
    expect(json).toMatchObject(english);
    expect(headers["content-language"]).toBe("en");
    expect(headers["vary"]).toBeUndefined();
  });

  test("does not concern answers that succeed", async () => {
    const { post } = stage();
    const { status, headers } = await post({ name: "a" });
    expect([status, headers["content-language"], headers["vary"]]).toEqual([201, undefined, undefined]);
  });
});

describe("a problem of the developer", () => {
  test("is translated if the catalogue has its text", async () => {
    const { json, headers } = await stage().post({ name: "gone" });
    expect(json).toMatchObject({ title: "Konflikt", detail: "Ausverkauft: gone." });
    expect(headers["content-language"]).toBe("de");
  });

  test("is sent as it is if the catalogue does not, in one language", async () => {
    const { json, headers } = await stage().post({ name: "own" });
    expect(json).toMatchObject({ title: "Conflict", detail: "My very own text." });
    expect(headers["content-language"]).toBe("en");
  });

  test("is translated by its own code, also its title", async () => {
    const shipped = { ORDER_SHIPPED: "Bestellung versandt" };
    const catalogue: Catalogue = { titles: { ...de.titles, ...shipped }, codes: { ORDER_SHIPPED: "Eine versandte Bestellung bleibt: {order}." } };
    const orders = defineResource("orders", {
      schema: z.object({ id: z.int(), name: z.string() }),
      generated: { id: "increment" },
      create: () => {
        throw problem("ORDER_SHIPPED", 409, "A shipped order stays.", { extensions: { order: 7 } });
      },
    });
    for (const problemDocs of [undefined, "https://example.com/problems"]) {
      const service = createService({ resources: [orders], storage: memoryStorage(), use: [languages({ de: catalogue })], problemDocs });
      const sent = { method: "POST", target: "/orders", body: { name: "a" }, headers: { "accept-language": "de" } };
      const { status, json, headers } = await clientOf(service)(sent);
      expect([status, headers["content-language"]]).toEqual([409, "de"]);
      const title = problemDocs === undefined ? "Konflikt" : "Bestellung versandt";
      expect(json).toMatchObject({ code: "ORDER_SHIPPED", title, detail: "Eine versandte Bestellung bleibt: 7." });
      await service.close();
    }
  });

  test("that names its language is not touched", async () => {
    const { json, headers } = await stage().post({ name: "eigen" });
    expect(json.detail).toBe("Mein eigener Text.");
    expect(headers["content-language"]).toBe("de-AT");
  });

  test("is sent as it is if a function of the catalogue fails, and the log says so", async () => {
    const { post, send } = stage();
    await post({ name: "a" });
    const patch = { method: "PATCH", target: "/things/1", body: { name: "b" }, headers: { "if-match": '"x"', "accept-language": "de" } };
    const { status, headers } = await send(patch);
    expect([status, headers["content-language"]]).toEqual([412, "en"]);
    expect(messages).toEqual(["A function of a catalogue failed; the problem is sent as it is."]);
  });
});

describe("items of a batch", () => {
  const items = {
    operations: [
      { method: "GET", url: "/things/7" },
      { method: "POST", url: "/things", body: {} },
    ],
  };

  test("are in the language of the batch", async () => {
    const { post } = stage();
    const { status, json } = await post({ items: [{ name: "a" }, {}] }, {}, "/things/batch");
    expect(status).toBe(207);
    expect(json.results[1].error).toMatchObject({
      title: "Nicht verarbeitbar",
      detail: "Erforderlich; erwartet: string.",
      errors: [{ code: "INVALID_VALUE", detail: "Erforderlich; erwartet: string.", pointer: "/name" }],
    });
  });

  test("that are operations of all kinds too, unless one names a language", async () => {
    const { post } = stage();
    const [first] = items.operations;
    const { json } = await post({ operations: [...items.operations, { ...first, headers: { "Accept-Language": "en" } }] }, {}, "/batch");
    expect(json.results.map(({ error }: { error: { detail: string } }) => error.detail)).toEqual([
      german.detail,
      "Erforderlich; erwartet: string.",
      english.detail,
    ]);
  });
});

test("a replay is what was stored, in its language", async () => {
  const { post } = stage();
  const key = { "idempotency-key": "0123456789abcdef" };
  const first = await post({ items: [{}] }, key, "/things/batch");
  const again = await post({ items: [{}] }, { ...key, "accept-language": "en" }, "/things/batch");
  expect(first.text).toContain("Erforderlich");
  expect(again.text).toBe(first.text);
  expect(again.headers).toMatchObject({ "idempotent-replayed": "true" });
});

test.each<[string, () => unknown, RegExp]>([
  ["an invalid tag", () => languages({ "de_DE!": de }), /"de_DE!" is not the tag of a language/],
  ["no catalogue", () => languages({ de: "Deutsch" }), /languages: "de"/],
  ["a catalogue without titles", () => languages({ de: {} as Catalogue }), /"titles" must be/],
  ["a misspelled member", () => languages({ de: { ...de, text: {} } as Catalogue }), /no option "text"; did you mean "texts"/],
  ["a misspelled code", () => languages({ de: { ...de, codes: { NOT_FOND: "x" } } }), /"NOT_FOND", which is not a code.* Did you mean "NOT_FOUND"/],
  ["a misspelled title", () => languages({ de: { titles: { NOTFOUND: "x" } } }), /"titles" of "de" names "NOTFOUND".* Did you mean "NOT_FOUND"/],
  ["a code in lower case", () => languages({ de: { ...de, codes: { order_shipped: "x" } } }), /"order_shipped".*codes are in upper case/],
  ["the code of a problem in lower case", () => languages({ de: { ...de, codes: { not_found: "x" } } }), /Did you mean "NOT_FOUND"/],
  ["an unknown title", () => languages({ de: { titles: { "200": "OK" } } }), /"titles" of "de" names "200"/],
  ["an unknown placeholder", () => languages({ de: { titles: {}, texts: { "a {b}": "{c}" } } }), /uses \{c\}, which the English text does not have/],
  ["a default without a catalogue", () => languages({ de, default: "fr" }), /"default" must be "en" or "de"/],
  ["no options", () => languages([] as never), /must be an object with a catalogue for each language/],
])("%s is an error at start-up", (_, call, message) => {
  expect(call).toThrow(ConfigurationError);
  expect(call).toThrow(message);
});

test("two of them are an error at start-up", () => {
  expect(() => createService({ resources: [], storage: memoryStorage(), use: [languages({}), languages({})] })).toThrow(ConfigurationError);
});
