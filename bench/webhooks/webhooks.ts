import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { buildPrograms } from "../tools/build.js";
import { describeRun } from "../tools/report.js";
import { Server } from "../tools/server.js";
import { readWebhookOptions } from "./options.js";

const { questions, stores, markdown } = readWebhookOptions();
const programs = await buildPrograms("webhooks", {
  receiver: "bench/webhooks/receiverServer.ts",
  send: "bench/webhooks/sendMain.ts",
  pipeline: "bench/webhooks/pipelineMain.ts",
  store: "bench/webhooks/storeMain.ts",
});
const fixture = (name: string) => fileURLToPath(new URL(`../../test/capabilities/webhooks/transport/fixtures/${name}`, import.meta.url));
const authority = fixture("ca.pem");

/** The child is told what this process was told, and what is meant for it alone besides: of an option that comes twice the last counts. */
async function run(program: string, own: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const options = [...process.argv.slice(2).filter((option, index, all) => option !== "--store" && all[index - 1] !== "--store"), ...own];
  const [code] = await once(fork(program, options, { execArgv: ["--expose-gc"], env: { ...process.env, ...environment } }), "exit");
  if (code !== 0) throw new Error(`${program} ended with code ${code}.`);
}

const { date, node, machine } = describeRun(new Date());
if (markdown) console.log(`${date}, Node ${node}, ${machine}.\n`);

const measured = stores.filter((store) => store !== "postgres" || process.env["POSTGRES_URL"] !== undefined);
if (measured.length < stores.length) console.log("postgres: skipped. PostgreSQL is measured where POSTGRES_URL names a server.\n");

if (questions.includes("send") || questions.includes("pipeline")) {
  const receiver = await Server.start(programs.receiver, ["--cert", fixture("server.pem"), "--key", fixture("server.key")]);
  const reachable = ["--port", String(receiver.port), "--authority", authority];
  try {
    if (questions.includes("send")) await run(programs.send, reachable, { NODE_EXTRA_CA_CERTS: authority });
    if (questions.includes("pipeline")) for (const store of measured) await run(programs.pipeline, [...reachable, "--store", store]);
  } finally {
    await receiver.stop();
  }
  console.log("");
}

if (questions.includes("fanOut") || questions.includes("claim")) for (const store of measured) await run(programs.store, ["--store", store]);
