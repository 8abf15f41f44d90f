import { generator } from "./generator.js";
import { linter } from "./linter.js";
import { blockOf, programOf } from "./programs.js";
import { proxy } from "./proxy.js";
import { script } from "./script.js";
import { swaggerUi } from "./swaggerUi.js";
import type { Tool } from "./tool.js";

const all = "the whole story";

const generators: readonly Tool[] = [
  generator({
    name: "openapi-typescript, openapi-fetch",
    packages: { "openapi-typescript": "7.13.0", "openapi-fetch": "0.17.0" },
    generate: ["openapi-typescript", "openapi.json", "--default-non-nullable=false", "-o", "api.ts"],
    program: blockOf("openapi-typescript and openapi-fetch", "typescript"),
    works: `${all}, imports`,
    differs: "without `--default-non-nullable=false` a field with a default is required in bodies",
  }),
  generator({
    name: "hey-api",
    packages: { "@hey-api/openapi-ts": "0.99.0" },
    files: { "openapi-ts.config.mjs": blockOf("hey-api", "js") },
    generate: ["openapi-ts", "-f", "openapi-ts.config.mjs"],
    program: blockOf("hey-api", "typescript"),
    works: `${all}, imports`,
    differs: "without `module.extension` its files are for bundlers only",
  }),
  generator({
    name: "orval, axios",
    packages: { orval: "8.38.0" },
    beside: { axios: "1.21.1" },
    files: { "orval.config.mjs": blockOf("orval", "js") },
    generate: ["orval", "--config", "orval.config.mjs"],
    program: blockOf("orval", "typescript"),
    works: `${all}, imports`,
  }),
  generator({
    name: "orval, fetch",
    packages: { orval: "8.38.0" },
    files: {
      "orval.config.mjs": `export default { shop: { input: "./openapi.json", output: { target: "./shop.ts", client: "fetch", baseUrl: { runtime: "process.env.SHOP" } } } };\n`,
    },
    generate: ["orval", "--config", "orval.config.mjs"],
    program: programOf("orvalFetch.ts"),
    works: all,
    differs: "lists, whose answer may also be NDJSON, are handed out as an unread response; `batchCreate` needs a `Content-Type`",
  }),
  generator({
    name: "swagger-typescript-api",
    packages: { "swagger-typescript-api": "13.13.0" },
    environment: { OPENAPI_FILTERS: "flat" },
    generate: ["swagger-typescript-api", "generate", "-p", "openapi.json", "-o", ".", "-n", "shop.ts"],
    program: programOf("swaggerTypescriptApi.ts"),
    works: `${all}, with \`filters: "flat"\``,
    differs:
      'of a document with `filters: "deep"` it writes `[object Object]`; operations with several media types need `format: "json"` and a `Content-Type`',
  }),
  generator({
    name: "kubb",
    packages: {
      "@kubb/plugin-client": "4.39.3",
      "@kubb/cli": "4.39.3",
      "@kubb/core": "4.39.3",
      "@kubb/plugin-oas": "4.39.3",
      "@kubb/plugin-ts": "4.39.3",
    },
    beside: { axios: "1.21.1" },
    files: { "kubb.config.ts": programOf("kubb.config.ts") },
    generate: ["kubb", "generate"],
    program: programOf("kubb.ts"),
    compile: ["--rewriteRelativeImportExtensions", "--skipLibCheck"],
    works: all,
    differs: 'version 5 has no plug-in for clients yet; the tag of a row needs `dataReturnType: "full"`; its declarations need `skipLibCheck`',
  }),
  generator({
    name: "openapi-zod-client",
    packages: { "openapi-zod-client": "1.18.3", "@zodios/core": "10.9.6" },
    beside: { axios: "1.21.1", zod: "3.25.76" },
    generate: ["openapi-zod-client", "openapi.json", "-o", "shop.ts"],
    repair: { file: "shop.ts", from: /, null\]\), z\.null\(\)/g, to: "]), z.null()" },
    program: programOf("openapiZodClient.ts"),
    works: all,
    differs:
      "`null` is to be taken out of `z.enum([…, null])`, which it writes of an enum that may be null and which does not compile; headers such as `ETag` are read from its axios",
  }),
];

const programs: readonly Tool[] = [
  script({
    name: "swagger-client",
    packages: { "swagger-client": "3.39.0" },
    program: "swaggerClient.mjs",
    works: `${all}, below a mount as well`,
    environment: { BASE_PATH: "/v1" },
    differs: "operations have underscores: `users_create`",
  }),
  swaggerUi,
  script({
    name: "Postman's converter, newman",
    packages: { "openapi-to-postmanv2": "6.3.3", newman: "6.2.2" },
    before: [
      "openapi2postmanv2",
      ...["-s", "openapi.json"],
      ...["-o", "collection.json"],
      ...["-O", "enableOptionalParameters=false,parametersResolution=Example"],
    ],
    program: "postman.mjs",
    works: all,
    differs:
      "without `enableOptionalParameters=false` each request has all filters at once; operators of filters and the parts of forms are rows of yours; `baseUrl` is `/` unless `servers` has an address",
  }),
];

const proxies: readonly Tool[] = [
  proxy({
    name: "Prism, `proxy --errors`",
    packages: { "@stoplight/prism-cli": "5.16.0" },
    start: (shop) => ["node_modules/.bin/prism", "proxy", "openapi.json", shop, "--errors", "--port", "0"],
    announced: /listening on (http:\S+)/,
    refuses: [/^POST \/avatars: 415 /],
    works: "all but uploads; no objection",
    lacks: { upload: "it passes bodies on as text, which breaks pictures" },
  }),
  proxy({
    name: "express-openapi-validator",
    packages: { "express-openapi-validator": "5.6.2" },
    beside: { express: "5.3.0" },
    files: { "expressOpenapiValidator.mjs": programOf("expressOpenapiValidator.mjs") },
    start: () => ["expressOpenapiValidator.mjs"],
    announced: /listens at (http:\S+)/,
    refuses: [/^GET \/users\?\S*fields=id,name\S*: 500 .*must have required property 'createdAt'/],
    works: `${all}; requests without objection`,
    differs: "answers to `fields` and `exclude` are refused, as they lack members that the schema requires",
  }),
];

const linters: readonly Tool[] = [
  linter({
    name: "redocly lint",
    packages: { "@redocly/cli": "2.77.0" },
    run: ["redocly", "lint", "openapi.json", "--format=json"],
    rulesOf: (output) =>
      (JSON.parse(output) as { problems: { ruleId: string; severity: string }[] }).problems
        .filter(({ severity }) => severity === "error")
        .map(({ ruleId }) => ruleId),
    broken: ["no-empty-servers"],
    works: "no error with `--extends spec`",
    differs: "its recommended rules want `servers`, which a service without a mount or a `baseUrl` does not have",
  }),
  linter({
    name: "Spectral, `spectral:oas`",
    packages: { "@stoplight/spectral-cli": "6.16.3" },
    files: { ".spectral.yaml": 'extends: ["spectral:oas"]\n' },
    run: ["spectral", "lint", "openapi.json", "--format", "json", "--quiet"],
    rulesOf: (output) =>
      (JSON.parse(output) as { code: string; severity: number }[]).map(({ code, severity }) => `${severity === 0 ? "error" : "warning"} ${code}`),
    broken: ["warning info-contact", "warning oas3-api-servers", "warning operation-description"],
    works: "no error",
    differs: "warnings for `servers`, `contact` and operations without a description",
  }),
  linter({
    name: "Scalar, `document validate`",
    packages: { "@scalar/cli": "2.0.1" },
    run: ["scalar", "document", "validate", "openapi.json"],
    rulesOf: (output) => (/^.*Matches the OpenAPI specification/m.test(output) ? [] : [output]),
    broken: [],
    works: "no error",
  }),
];

/** In the order of the table of docs/clients.md. */
export const tools: readonly Tool[] = [...generators, ...programs, ...proxies, ...linters];
