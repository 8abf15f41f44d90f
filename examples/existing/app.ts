import express, { type Express } from "express";
import pg from "pg";
import { createService, type Service } from "restwright";
import { bearer } from "restwright/auth";
import { batch } from "restwright/batch";
import { expressHandler, requirePrincipal } from "restwright/express";
import { postgresStorage } from "restwright/postgres";
import { resources } from "./resources.js";
import { routes, userOf } from "./routes.js";

/** The application with its own routes, and the collections below `/api`. Both know their callers by the same verifier. */
export function createApp(connectionString: string): { readonly app: Express; readonly service: Service; close(): Promise<void> } {
  const pool = new pg.Pool({ connectionString });
  // The server has closed an idle connection; the pool opens another one.
  pool.on("error", (error) => console.error(error.message));
  const tokens = bearer(async (token) => {
    const user = await userOf(pool, token);
    return user && { id: user.id, claims: { teamIds: user.teamIds } };
  });
  const service = createService({ resources: [...resources], storage: postgresStorage({ pool }), auth: [tokens], use: [batch()] });
  const app = express();
  app.use("/app", requirePrincipal(service), express.json(), routes(pool));
  app.use("/api", expressHandler(service));
  return {
    app,
    service,
    async close() {
      await service.close();
      await pool.end();
    },
  };
}
