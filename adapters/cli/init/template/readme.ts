import type { ProjectPlan } from "../choices.js";
import { storageFile } from "./storage.js";
import { typed } from "./typed.js";

const docs = "https://github.com/restwright/restwright/blob/main/docs";

/** The `README.md` of a project. */
export function readmeFile(plan: ProjectPlan): string {
  const extension = plan.language === "typescript" ? "ts" : "js";
  return `# ${plan.name}

An HTTP API made with [restwright](https://github.com/restwright/restwright).

\`\`\`sh
npm install
${plan.store === "postgres" ? "export DATABASE_URL=postgres://user@host/name\n" : ""}npm run dev
\`\`\`

\`\`\`sh
curl -i localhost:3000/v1/tasks -H 'content-type: application/json' -d '{"title":"Buy tea"}'
curl -i localhost:3000/v1/tasks/1 -X PATCH -H 'content-type: application/json' -d '{"isDone":true}'
curl -g 'localhost:3000/v1/tasks?isDone=true&title[like]=tea&sort=-createdAt'
curl localhost:3000/v1/openapi.json
\`\`\`

${commands(plan)}
Settings are variables of the environment:

- \`PORT\`: 3000 by default.
- \`HOST\`: 127.0.0.1 by default; \`0.0.0.0\` in a container.
${
  plan.store === "postgres"
    ? "- `DATABASE_URL`: the PostgreSQL database that keeps the rows; required."
    : "- `DATA_DIR`: the folder of the SQLite file; `data` by default."
}
- \`LOG_LEVEL\`: \`debug\`, \`info\` (default), \`warn\`, \`error\` or \`silent\`.

SIGTERM and Ctrl-C end the process when the running requests are answered. \`/v1/health\` says whether it runs, \`/v1/ready\` whether it can answer requests.

## What comes next

- **A field**: add it to the schema in \`src/tasks.${extension}\`, with a default for the tasks that exist. The next start adds its column.
- **A collection**: write it beside \`src/tasks.${extension}\`, and add it to \`resources\` in \`src/api.${extension}\`.
- **Who may do what**: no credentials are needed yet, and every caller may do everything. Add a verifier and scopes before others can reach this API: [access](${docs}/access.md).
- **Your own rules**: [hooks](${docs}/hooks.md), [actions](${docs}/actions.md) and [subscribers](${docs}/subscribers.md).
- [The guide](${docs}/guides/start.md) goes these steps.
${plan.store === "sqlite" ? toPostgres(plan, extension) : ""}`;
}

function commands({ language }: ProjectPlan): string {
  const lines =
    language === "typescript"
      ? [
          "npm test           # runs the tests",
          "npm run types      # checks the types",
          "npm run build      # compiles to dist",
          "npm start          # starts what was compiled",
        ]
      : ["npm test           # runs the tests", "npm start          # starts the API, and does not watch the files"];
  return `\`\`\`sh\n${lines.join("\n")}\n\`\`\`\n`;
}

function toPostgres({ language }: ProjectPlan, extension: string): string {
  return `
## PostgreSQL

One SQLite file serves one machine. For more, \`npm install pg\`, and replace \`src/storage.${extension}\`:

\`\`\`${extension}
${storageFile({ store: "postgres" }, typed(language === "typescript"))}\`\`\`
`;
}
