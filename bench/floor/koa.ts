import etag from "etag";
import Koa, { type Context } from "koa";
import { Problem, problemDocument, toProblem } from "./problem.js";
import { type Answer, requestId, type Users } from "./users.js";

const limitBytes = 1_048_576;

/** The users API as one would write it for Koa, without a router. */
export function koaUsers(users: Users): Koa {
  const app = new Koa();
  app.use(async (context, next) => {
    const id = requestId(context.get("x-request-id") || undefined);
    context.set("x-request-id", id);
    context.set("x-content-type-options", "nosniff");
    try {
      await next();
    } catch (error) {
      const problem = toProblem(error);
      if (problem.status >= 500) console.error(error);
      context.status = problem.status;
      context.set(problem.headers);
      context.set("content-language", "en");
      context.type = "application/problem+json";
      context.body = JSON.stringify(problemDocument(problem, id));
    }
  });
  app.use(async (context) => {
    const id = /^\/users\/([^/]+)$/.exec(context.path)?.[1];
    const route = `${context.method} ${id === undefined ? context.path : "/users/:id"}`;
    if (route === "GET /users") sendTagged(context, await users.list(context.query, context.url));
    else if (route === "POST /users") send(context, await users.create(await readJson(context)));
    else if (id !== undefined && context.method === "GET") send(context, await users.read(id, { ifNoneMatch: context.headers["if-none-match"] }));
    else if (id !== undefined && context.method === "PATCH") {
      send(context, await users.update(id, await readJson(context), { ifMatch: context.headers["if-match"] }));
    } else throw new Problem(404, "NOT_FOUND", "There is nothing at this path.");
  });
  return app;
}

async function readJson(context: Context): Promise<unknown> {
  if (!context.is("application/json", "application/merge-patch+json")) throw new Problem(415, "UNSUPPORTED_MEDIA_TYPE", "The body must be JSON.");
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of context.req) {
    length += chunk.length;
    if (length > limitBytes) throw new Problem(413, "PAYLOAD_TOO_LARGE", `The body is larger than ${limitBytes} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (error) {
    throw new Problem(400, "MALFORMED_JSON", String(error));
  }
}

function send(context: Context, { status, headers, value }: Answer): void {
  context.status = status;
  context.set(headers);
  if (value !== undefined) context.body = value;
}

function sendTagged(context: Context, { status, headers, value }: Answer): void {
  const text = JSON.stringify(value);
  context.status = status;
  context.set(headers);
  context.set("etag", etag(text, { weak: true }));
  if (context.fresh) {
    context.status = 304;
    return;
  }
  context.type = "application/json";
  context.body = text;
}
