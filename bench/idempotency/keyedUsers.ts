import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from "express";
import { problemDocument, toProblem } from "../floor/problem.js";
import { requestId, type Users } from "../floor/users.js";

/** What is used of `express-idempotency`. */
export interface KeyMiddleware {
  /** Keeps the bodies of answers in memory, unless told otherwise. */
  idempotency(): RequestHandler;
  getSharedIdempotencyService(): { isHit(request: Request): boolean };
}

/** The hand-written POST of users on Express, inside the middleware as its manual says. */
export function keyedUsers(users: Users, { idempotency, getSharedIdempotencyService }: KeyMiddleware): Express {
  const app = express();
  app.disable("x-powered-by");
  app.use((request, response, next) => {
    response.set("x-request-id", requestId(request.get("x-request-id")));
    next();
  });
  app.use(express.json());
  // It compares bodies, and so comes after the parser.
  app.use(idempotency());
  app.post("/users", async (request, response) => {
    // A replay has been sent by then, and comes here all the same.
    if (getSharedIdempotencyService().isHit(request)) return;
    const { status, headers, value } = await users.create(request.body);
    response.status(status).set(headers).json(value);
  });
  // Express tells an error handler by its four parameters.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const problem = toProblem(error);
    const id = String(response.get("x-request-id"));
    response
      .status(problem.status)
      .set(problem.headers)
      .type("application/problem+json")
      .send(JSON.stringify(problemDocument(problem, id)));
  });
  return app;
}
