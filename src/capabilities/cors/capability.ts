import type { Capability } from "../../engine/capability/capability.js";
import type { Logger } from "../../engine/operation/logging/logger.js";
import { headersWith } from "../../ground/http/headers/answerHeaders.js";
import type { HttpRequest, HttpResponse, ResponseHeaders } from "../../ground/http/message.js";
import { callable, either, flag, listOf, oneOf, optionsCheck, passing, strict, text, whole } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { allowedHeaders, exposedHeaders } from "./headers.js";
import { compileOrigins, type JudgeOrigin, type Origins } from "./origins.js";

/** Which pages of other origins may use the API. */
export interface CorsOptions {
  /** Origins such as `https://shop.example`; a regular expression must match the whole origin. `*` allows every page, without credentials. */
  readonly origins: Origins;
  /** Whether pages may send cookies and other credentials of the browser. Defaults to `false`; an `Authorization` header that a script sets needs it not. */
  readonly credentials?: boolean | undefined;
  /** Request headers that are allowed in addition to those that the API reads. */
  readonly allowHeaders?: readonly string[] | undefined;
  /** Response headers that scripts may read in addition to those that the API sends. */
  readonly exposeHeaders?: readonly string[] | undefined;
  /** How long browsers may cache the answer to a preflight, in seconds (600). */
  readonly maxAgeSeconds?: number | undefined;
}

const headerNames = () =>
  listOf(
    passing("the name of a header", (value) => typeof value === "string" && /^[\w-]+$/.test(value)),
    "names of headers",
  );
const originList = () =>
  listOf(
    either(
      "an origin or a regular expression",
      text(),
      passing("", (value) => value instanceof RegExp),
    ),
    "an array with an origin",
    1,
  );

const checkCorsOptions = /* @__PURE__ */ optionsCheck("cors", () =>
  strict<CorsOptions>(
    {
      origins: either(`"*", an array with an origin, or a function`, oneOf("*"), originList(), callable()),
      credentials: flag(),
      allowHeaders: headerNames(),
      exposeHeaders: headerNames(),
      maxAgeSeconds: whole(0, 86_400),
    },
    ["origins"],
  ),
);

/**
 * Lets pages of other origins use the API: answers preflights, and adds the headers of CORS to every answer, also to errors.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 * @throws {ConfigurationError} for an unknown option, an invalid value, and `*` with credentials
 * @example
 * createService({ resources, storage, use: [cors({ origins: ["https://shop.example"], credentials: true })] });
 */
export function cors(options: CorsOptions): Capability {
  checkCorsOptions(options);
  const rules = rulesOf(options);
  return {
    name: "cors",
    open: ({ environment: { logger } }) => ({
      crossOrigin: {
        answer: (request, response) => answerTo(rules, request, response, logger),
        allows: async (origin, request) =>
          (rules.credentials || !hasAmbientCredentials(request)) && (rules.judge === undefined || isAllowed(rules.judge, origin, request, logger)),
      },
    }),
  };
}

/** The options, as the headers that they make. */
interface Rules {
  /** `undefined` for all origins. */
  readonly judge: JudgeOrigin | undefined;
  readonly credentials: boolean;
  /** Headers of a preflight. */
  readonly preflight: ResponseHeaders;
  readonly exposed: string;
}

/** @throws {ConfigurationError} */
function rulesOf({ origins, credentials = false, allowHeaders = [], exposeHeaders = [], maxAgeSeconds = 600 }: CorsOptions): Rules {
  if (origins === "*" && credentials) {
    throw new ConfigurationError(
      `cors: "origins" is "*" and "credentials" is true; browsers refuse this. Name the origins that may send credentials.`,
    );
  }
  return {
    judge: origins === "*" ? undefined : compileOrigins(origins),
    credentials,
    preflight: {
      "access-control-allow-headers": [...allowedHeaders, ...allowHeaders].join(", "),
      "access-control-max-age": String(maxAgeSeconds),
    },
    exposed: [...exposedHeaders(), ...exposeHeaders].join(", "),
  };
}

/** For a path that does not exist: its 404 can be read only after a preflight that succeeds. */
const anyMethod = "GET, HEAD, POST, PUT, PATCH, DELETE";

async function answerTo(
  { judge, credentials, preflight, exposed }: Rules,
  request: HttpRequest,
  response: HttpResponse,
  logger: Logger,
): Promise<HttpResponse> {
  const origin = headerOf(request, "origin");
  const asksFirst = request.method === "OPTIONS" && origin !== undefined && headerOf(request, "access-control-request-method") !== undefined;
  // A service that is closing refuses preflights too.
  const isPreflight = asksFirst && response.status < 500;
  const headers = isPreflight && response.status >= 400 ? withoutProblem(response.headers) : { ...response.headers };
  if (judge !== undefined) headers["vary"] = headers["vary"] === undefined ? "Origin" : `${String(headers["vary"])}, Origin`;
  const { unread } = response;
  const { status, body } = isPreflight ? { status: 204, body: null } : response;
  if (isPreflight) for (const name of ["content-type", "content-length"]) delete headers[name];
  if (judge !== undefined && (origin === undefined || !(await isAllowed(judge, origin, request, logger)))) return { status, headers, body, unread };
  headers["access-control-allow-origin"] = judge === undefined ? "*" : (origin ?? "");
  if (credentials) headers["access-control-allow-credentials"] = "true";
  if (isPreflight) Object.assign(headers, preflight, { "access-control-allow-methods": headers["allow"] ?? anyMethod });
  else headers["access-control-expose-headers"] = exposed;
  return { status, headers, body, unread };
}

/** What stays of an answer in whose place a preflight succeeds: the headers of every answer. Browsers keep a preflight by its own age, whatever Cache-Control says. */
function withoutProblem(headers: ResponseHeaders): ResponseHeaders {
  const kept = headersWith(({ on }) => on === "every").map((name) => name.toLowerCase());
  return Object.fromEntries(Object.entries(headers).filter(([name]) => kept.includes(name) && name !== "cache-control"));
}

/** A function that fails must not make an answer of an error: it allows nothing, and the log says so. */
async function isAllowed(judge: JudgeOrigin, origin: string, request: HttpRequest, logger: Logger): Promise<boolean> {
  try {
    return await judge(origin, request);
  } catch (error) {
    logger.error({ err: error, origin }, "The function that judges origins failed; the page cannot read the answer.");
    return false;
  }
}

/** Whether the browser may have added credentials by itself: cookies, or a password that it keeps. Only a script can set other kinds of Authorization, after a preflight. */
function hasAmbientCredentials({ headers }: HttpRequest): boolean {
  return headers.some((value, index) => {
    const name = index % 2 === 1 ? headers[index - 1]?.toLowerCase() : undefined;
    return name === "cookie" || (name === "authorization" && /^\s*(?:basic|digest|negotiate|ntlm)\b/i.test(value));
  });
}

/** The only line of a header; `undefined` if it was not sent once. */
function headerOf({ headers }: HttpRequest, name: string): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() !== name) continue;
    if (found !== undefined) return undefined;
    found = headers[index + 1];
  }
  return found;
}
