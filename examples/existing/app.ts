import express, { type Express } from "express";
import pg from "pg";
import { createService, type Service, type Verifier } from "restwright";
import { batch } from "restwright/batch";
import { expressHandler } from "restwright/express";
import { postgresStorage } from "restwright/postgres";
import { resources } from "./resources.js";
import { authenticate, routes, type User } from "./routes.js";

/** The user whom the application has found already. */
const knownUser: Verifier = {
  scheme: "Bearer",
  headers: ["Authorization"],
  challenge: () => 'Bearer realm="app"',
  verify({ native }) {
    const user = (native as express.Request).res?.locals["user"] as User | undefined;
    return user === undefined ? null : { id: user.id, claims: { teamIds: user.teamIds } };
  },
};

/** The application with its own routes, and the collections below `/api`. */
export function createApp(connectionString: string): { readonly app: Express; readonly service: Service; close(): Promise<void> } {
  const pool = new pg.Pool({ connectionString });
  // The server has closed an idle connection; the pool opens another one.
  pool.on("error", (error) => console.error(error.message));
  const service = createService({ resources: [...resources], storage: postgresStorage({ pool }), auth: [knownUser], use: [batch()] });
  const app = express();
  app.use(authenticate(pool));
  app.use(express.json());
  app.use("/app", routes(pool));
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
