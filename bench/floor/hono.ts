import etag from "etag";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode, StatusCode } from "hono/utils/http-status";
import { Problem, problemDocument, toProblem } from "./problem.js";
import { type Answer, requestId, type Users } from "./users.js";

/** The users API as one would write it for Hono. */
export function honoUsers(users: Users): Hono {
  const app = new Hono();
  app.use(bodyLimit({ maxSize: 1_048_576 }));
  app.onError((error, context) => {
    const problem = toProblem(error);
    if (problem.status >= 500) console.error(error);
    const id = identify(context);
    const headers = { ...problem.headers, "content-type": "application/problem+json", "content-language": "en" };
    return context.body(JSON.stringify(problemDocument(problem, id)), problem.status as ContentfulStatusCode, headers);
  });
  app.get("/users", async (context) => sendTagged(context, await users.list(context.req.query(), pathAndQuery(context.req.url))));
  app.post("/users", async (context) => send(context, await users.create(await readJson(context))));
  app.get("/users/:id", async (context) =>
    send(context, await users.read(context.req.param("id"), { ifNoneMatch: context.req.header("if-none-match") })),
  );
  app.patch("/users/:id", async (context) =>
    send(context, await users.update(context.req.param("id"), await readJson(context), { ifMatch: context.req.header("if-match") })),
  );
  return app;
}

function identify(context: Context): string {
  const id = requestId(context.req.header("x-request-id"));
  context.header("x-request-id", id);
  context.header("x-content-type-options", "nosniff");
  return id;
}

async function readJson(context: Context): Promise<unknown> {
  try {
    return await context.req.json();
  } catch (error) {
    if (error instanceof SyntaxError) throw new Problem(400, "MALFORMED_JSON", error.message);
    throw error;
  }
}

function send(context: Context, { status, headers, value }: Answer): Response {
  identify(context);
  if (value === undefined) return context.body(null, { status: status as StatusCode, headers: { ...headers } });
  return context.body(JSON.stringify(value), status as ContentfulStatusCode, { ...headers, "content-type": "application/json" });
}

function sendTagged(context: Context, { headers, value }: Answer): Response {
  identify(context);
  const text = JSON.stringify(value);
  const tag = etag(text, { weak: true });
  if (context.req.header("if-none-match") === tag) return context.body(null, 304, { ...headers, etag: tag });
  return context.body(text, 200, { ...headers, etag: tag, "content-type": "application/json" });
}

function pathAndQuery(url: string): string {
  return url.slice(url.indexOf("/", url.indexOf("://") + 3));
}
