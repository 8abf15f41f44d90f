import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { problemDocument, toProblem } from "./problem.js";
import { type Answer, requestId, type Users } from "./users.js";

/** The users API as one would write it for Express. `res.json` tags lists by itself. */
export function expressUsers(users: Users): Express {
  const app = express();
  app.disable("x-powered-by");
  app.use((request, response, next) => {
    response.set("x-request-id", requestId(request.get("x-request-id")));
    response.set("x-content-type-options", "nosniff");
    next();
  });
  app.use(express.json({ type: ["application/json", "application/merge-patch+json"] }));
  app.get("/users", async (request, response) => send(response, await users.list(request.query, request.originalUrl)));
  app.post("/users", async (request, response) => send(response, await users.create(request.body)));
  app.get("/users/:id", async (request, response) =>
    send(response, await users.read(request.params.id, { ifNoneMatch: request.get("if-none-match") })),
  );
  app.patch("/users/:id", async (request, response) =>
    send(response, await users.update(request.params.id, request.body, { ifMatch: request.get("if-match") })),
  );
  // Express tells an error handler by its four parameters.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const problem = toProblem(error);
    if (problem.status >= 500) console.error(error);
    const id = String(response.get("x-request-id"));
    response
      .status(problem.status)
      .set(problem.headers)
      .set("content-language", "en")
      .type("application/problem+json")
      .send(JSON.stringify(problemDocument(problem, id)));
  });
  return app;
}

function send(response: Response, { status, headers, value }: Answer): void {
  response.status(status).set(headers);
  if (value === undefined) response.end();
  else response.json(value);
}
