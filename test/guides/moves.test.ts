import { bearer } from "restwright/auth";
import { chat } from "./moves/feathers.js";
import { blog } from "./moves/jsonServer.js";
import { people } from "./moves/postgrest.js";
import { testGuide } from "./testGuide.js";

const auth = [bearer((token) => ({ id: token }))];
const tokenOf = (who: string) => who;

testGuide({ page: "from-json-server", file: "./moves/jsonServer.ts", maxLines: 90, open: blog, tokenOf });
testGuide({ page: "from-postgrest", file: "./moves/postgrest.ts", maxLines: 90, open: (storage) => people(storage, auth), tokenOf });
testGuide({ page: "from-feathers", file: "./moves/feathers.ts", maxLines: 90, open: (storage) => chat(storage, auth), tokenOf });
