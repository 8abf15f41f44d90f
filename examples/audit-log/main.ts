import { createServer } from "node:http";
import { createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { nodeHandler } from "restwright/node";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";
import { auditLog, audits } from "./auditLog.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string().max(1_000) }), generated: { id: "increment" } });

const service = createService({ resources: [notes, audits], storage: sqliteStorage({ path: ":memory:" }), use: [batch(), auditLog()] });

createServer(nodeHandler(service)).listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.log("POST /notes, then GET /audits on http://127.0.0.1:3000");
});
