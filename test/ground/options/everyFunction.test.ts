import { ConfigurationError } from "restwright";
import { beforeAll, describe, expect, test } from "vitest";
import { type Exported, fault, functionOf, optionNames, places, publicFunctions } from "./places.js";

/** Functions without options, and those that are called for each request, row or chunk, which check what they use. */
const others: Readonly<Record<string, string>> = {
  "./searches": "searches",
  // The client throws TypeError, as it must not load what checks the options of services; test/client has these cases.
  "./client": "attempt createClient etagOf",
  "./client/uploads": "startUpload",
  "./client/react-admin": "reactAdminProvider",
  "./client/refine": "refineProvider",
  "./formats": "ndjson",
  // The options of `extend` are those of `defineResource`; test/engine/resource/extend has its cases.
  ".": "etagOf extend hasMany problem within",
  "./auth": "digestHa1 equalSecrets hashApiKey signedBody",
  "./values": "date",
  "./query": "decodeQueryPart problemDocument",
  "./patch": "mergePatch problemDocument",
  "./negotiation": "namesXml notAcceptable parseWeighted selectCharset selectEncoding selectLanguage selectType",
  "./idempotency": "fingerprintOf parseIdempotencyKey",
  "./cache": "cache",
  "./hooks": "hooks",
  "./jobs": "jobsOf",
  "./batch": "acceptsMultipart boundaryFor writeMultipartBatch",
  "./compression": "chooseCoding codedStream coderOf encodeBody",
  "./transfer": "csvRows escapeFormula expand exportRows jsonArrayEncoder jsonArrayRows ndjsonEncoder ndjsonRows readHeader unescapeFormula utf8Text",
  "./checks": "imageSize readCheckInput reject rejectClaim rejectionProblem sanitizeSvg stripMetadata textCheck",
  "./uploads": "collectFields file presignedBytes releaseChunk",
  "./webhooks":
    "checkAddress checkWebhookUrl classify compileEventFilter compileEventPatterns compileNetwork createSecretBox eventVersions generateSecret matchEvent nextAttempt parseRetryAfter parseSecret secretHint serializeEvent serializeResourceEvent sign verificationSecret verifyWebhook",
  "./express": "expressHandler requirePrincipal",
  "./fastify": "fastifyOptions fastifyPlugin requirePrincipal",
  "./hono": "requirePrincipal",
  "./koa": "koaMiddleware requirePrincipal",
  "./node": "requirePrincipal",
  "./testing": "faultyBlobs",
};

let functions: ReadonlyMap<string, Exported>;

beforeAll(async () => {
  functions = await publicFunctions();
}, 60_000);

test("every function of every entry is listed: a new one that takes options gets its check", () => {
  const listed = [
    ...places.map(functionOf),
    ...Object.entries(others).flatMap(([entry, names]) => names.split(" ").map((name) => `${entry} ${name}`)),
  ];
  expect([...functions.keys()].toSorted()).toEqual([...new Set(listed)].toSorted());
});

describe.each(places)("$of", (place) => {
  test("refuses each option that is misspelled by one letter, with the nearest name", async () => {
    const exported = functions.get(functionOf(place));
    expect(await fault(exported, place, { qqqqqqqqqqqq: 1 })).toBeInstanceOf(ConfigurationError);
    const names = await optionNames(exported, place);
    expect(names).not.toEqual([]);
    // No name is near to one of a single letter.
    for (const name of names.filter(({ length }) => length > 1)) {
      const misspelled = name.slice(0, 2) + name.slice(1);
      const error = await fault(exported, place, { [misspelled]: 1 });
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain(`has no option "${misspelled}"; did you mean "${name}"?`);
      const undefinedOption = name in (place.needed ?? {}) ? undefined : await fault(exported, place, { [name]: undefined });
      if (undefinedOption instanceof ConfigurationError) expect(undefinedOption.message).not.toContain(`"${name}" must`);
      // A symbol is of no option's type.
      const wrong = await fault(exported, place, { [name]: Symbol("wrong") });
      expect(wrong, name).toBeInstanceOf(ConfigurationError);
      expect(String(wrong)).toContain(`${name}" must be`);
    }
  });

  test("refuses what is no object", async () => {
    const { call, of } = place;
    const exported = functions.get(functionOf(place));
    for (const value of [null, 5, "text", [1]]) {
      const error = await fault(exported, { of, call: (_, given) => (given === undefined ? undefined : call(exported as Exported, value)) }, {});
      expect(error).toBeInstanceOf(ConfigurationError);
    }
  });
});
