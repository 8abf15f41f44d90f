import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { buildPrograms } from "./build.js";
import { describeRun } from "./report.js";
import { Server } from "./server.js";
import { readWebhookOptions } from "./webhooks/options.js";

const { questions, stores, markdown } = readWebhookOptions();
const programs = await buildPrograms("webhooks", {
  receiver: "bench/webhooks/receiverServer.ts",
  send: "bench/webhooks/sendMain.ts",
  store: "bench/webhooks/storeMain.ts",
});
const fixture = (name: string) => fileURLToPath(new URL(`../test/webhooks/fixtures/${name}`, import.meta.url));
const authority = fixture("ca.pem");

/** The child is told what this process was told, and what is meant for it alone besides: of an option that comes twice the last counts. */
async function run(program: string, own: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const options = [...process.argv.slice(2).filter((option, index, all) => option !== "--store" && all[index - 1] !== "--store"), ...own];
  const [code] = await once(fork(program, options, { execArgv: ["--expose-gc"], env: { ...process.env, ...environment } }), "exit");
  if (code !== 0) throw new Error(`${program} ended with code ${code}.`);
}

const { date, node, machine } = describeRun(new Date());
if (markdown) console.log(`${date}, Node ${node}, ${machine}.\n`);

if (questions.includes("send")) {
  const receiver = await Server.start(programs.receiver, ["--cert", fixture("server.pem"), "--key", fixture("server.key")]);
  try {
    await run(programs.send, ["--port", String(receiver.port), "--authority", authority], { NODE_EXTRA_CA_CERTS: authority });
  } finally {
    await receiver.stop();
  }
  console.log("");
}

if (questions.some((question) => question !== "send")) {
  for (const store of stores) {
    if (store === "postgres" && process.env["POSTGRES_URL"] === undefined) {
      console.log("postgres: skipped. PostgreSQL is measured where POSTGRES_URL names a server.");
      continue;
    }
    await run(programs.store, ["--store", store]);
  }
}
