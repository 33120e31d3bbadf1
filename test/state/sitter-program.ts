/** Takes a seat and stays; with a second argument, says whether that seat is taken. */
import { isSeatTaken, takeSeat } from "../../src/state/seat.ts";

const [directory = "", asked] = process.argv.slice(2);
if (asked === undefined) {
  const seat = takeSeat(directory);
  process.stdout.write(seat.id);
  setInterval(() => seat, 1_000);
} else {
  process.stdout.write(isSeatTaken(directory, asked) ? "taken" : "free");
}
