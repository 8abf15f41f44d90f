// @slow

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { toNodeHandler } from "better-auth/node";
import express, { type Express } from "express";
import session from "express-session";
import passport from "passport";
import { createService, defineResource, type Verifier } from "restwright";
import { bearer } from "restwright/auth";
import { expressHandler } from "restwright/express";
import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { sessionsOf } from "../../../examples/sessions/betterAuth.js";
import { sessions as expressSessions } from "../../../examples/sessions/expressSession.js";
import { sessions as passportSessions } from "../../../examples/sessions/passport.js";
import { listen } from "../../adapters/hosts/host.js";

const things = defineResource("things", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const cookies = session({ secret: "a secret of the session store", resave: false, saveUninitialized: false, cookie: { sameSite: "lax" } });

/** An app with the service below `/v1`, whose routes the test adds; returns its origin. */
async function serve(sessions: Verifier, addTo: (app: Express) => void): Promise<string> {
  const service = createService({
    resources: [things],
    storage: memoryStorage(),
    logger: false,
    auth: [sessions, bearer((token) => (token === "robot" ? { id: "robot" } : null))],
  });
  const app = express();
  addTo(app);
  app.use("/v1", expressHandler(service));
  const { port, close } = await listen(createServer(app));
  onTestFinished(async () => {
    await close();
    await service.close();
  });
  return `http://127.0.0.1:${port}`;
}

/** The cookies of an answer, as a browser sends them back. */
function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.slice(0, line.indexOf(";")))
    .join("; ");
}

/** What every recipe does: it knows the cookie, and leaves other schemes alone. */
async function checkSessions(origin: string, cookie: string): Promise<void> {
  const url = `${origin}/v1/things`;
  const send = (headers: Record<string, string>, method = "GET") =>
    fetch(url, { method, headers: { "content-type": "application/json", ...headers }, ...(method === "POST" ? { body: '{"name":"a"}' } : {}) });
  const refused = await send({});
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Session realm="shop", Bearer realm="api"']);
  expect((await send({ cookie }, "POST")).status).toBe(201);
  const list = await send({ cookie, "sec-fetch-site": "same-origin" });
  expect([list.status, list.headers.get("vary")]).toEqual([200, expect.stringContaining("Cookie")]);
  expect((await send({ authorization: "Bearer robot" })).status).toBe(200);
  expect((await send({ cookie: cookie.replace(/=.*/, "=forged") })).status).toBe(401);
  expect((await send({ cookie, authorization: "Bearer robot" })).status).toBe(400);
}

describe("a verifier of sessions", () => {
  test("of express-session", async () => {
    const origin = await serve(expressSessions, (app) => {
      app.use(cookies);
      app.post("/login", (request, response) => {
        request.session.userId = "7";
        response.end();
      });
    });
    await checkSessions(origin, cookieOf(await fetch(`${origin}/login`, { method: "POST" })));
  });

  test("of Passport", async () => {
    class Trusting extends passport.Strategy {
      override readonly name = "trusting";
      override authenticate(): void {
        this.success({ id: "7" });
      }
    }
    const own = new passport.Passport();
    own.use(new Trusting());
    own.serializeUser<string>((user, done) => done(null, (user as { id: string }).id));
    own.deserializeUser<string>((id, done) => done(null, { id }));
    const origin = await serve(passportSessions, (app) => {
      app.use(cookies, own.session());
      app.post("/login", own.authenticate("trusting"), (_request, response) => void response.end());
    });
    await checkSessions(origin, cookieOf(await fetch(`${origin}/login`, { method: "POST" })));
  });

  test("of better-auth", async () => {
    const auth = betterAuth({
      baseURL: "http://127.0.0.1",
      secret: "a secret of better-auth that is long enough",
      database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
      emailAndPassword: { enabled: true },
      telemetry: { enabled: false },
    });
    const origin = await serve(sessionsOf(auth), (app) => void app.all("/api/auth/*splat", toNodeHandler(auth)));
    const signedUp = await fetch(`${origin}/api/auth/sign-up/email`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: "http://127.0.0.1" },
      body: JSON.stringify({ name: "Ada", email: "ada@example.com", password: "a long password" }),
    });
    expect(signedUp.status).toBe(200);
    await checkSessions(origin, cookieOf(signedUp));
  });
});

test.each(["expressSession", "passport", "betterAuth"])("docs/access.md shows the recipe %s as it is tested", (name) => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  expect(read("docs/access.md")).toContain(`\`\`\`ts\n${read(`examples/sessions/${name}.ts`)}\`\`\``);
});
