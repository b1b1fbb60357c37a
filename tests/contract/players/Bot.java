// The players of openapi-generator for Java: see `play`.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AccountsApi;
import org.openapitools.client.api.ChallengesApi;
import org.openapitools.client.api.MatchesApi;
import org.openapitools.client.api.VariantsApi;
import org.openapitools.client.model.AcceptChallengeRequest;
import org.openapitools.client.model.Action;
import org.openapitools.client.model.Challenge;
import org.openapitools.client.model.Clock;
import org.openapitools.client.model.CreateAccountRequest;
import org.openapitools.client.model.CreateChallengeRequest;
import org.openapitools.client.model.Decision;
import org.openapitools.client.model.Match;
import org.openapitools.client.model.PerMoveClock;
import org.openapitools.client.model.SubmitActionRequest;

class Bot {
  static final ObjectMapper MAPPER = ApiClient.createDefaultObjectMapper();

  /** A client with an account of its own. */
  static ApiClient join(String url) throws Exception {
    String random = (UUID.randomUUID() + "" + UUID.randomUUID()).replace("-", "");
    ApiClient client = new ApiClient();
    client.updateBaseUri(url);
    CreateAccountRequest account = new CreateAccountRequest();
    account.username("bot" + random.substring(0, 16)).password(random.substring(16)).bot(true);
    String token = new AccountsApi(client).createAccount(account, null).getAccessToken();
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    return client;
  }

  /** Does what the match waits for, and says how it is then. */
  static Match act(ApiClient player, UUID id) throws Exception {
    MatchesApi matches = new MatchesApi(player);
    for (;;) {
      Match match = matches.getMatch(id, null, null, null);
      JsonNode required = null; // every decision has `required` and `example`
      for (Decision decision : match.getDecisions()) {
        JsonNode fields = MAPPER.valueToTree(decision);
        if (required == null && fields.get("required").asBoolean()) required = fields;
      }
      if (required == null) return match;
      Action action = MAPPER.treeToValue(required.get("example"), Action.class);
      SubmitActionRequest order = new SubmitActionRequest().version(match.getVersion()).action(action);
      try {
        matches.submitAction(id, order, null, null, null);
      } catch (ApiException error) {
        if (error.getCode() != 0) throw error; // else the connection was closed meanwhile: look again
      }
    }
  }

  /** A match with an account for each seat. */
  static void meet(String url, String variant) throws Exception {
    List<ApiClient> players = new ArrayList<>(List.of(join(url)));
    int seats = new VariantsApi(players.get(0)).getVariant(variant, null, null).getSeats().getMin();
    while (players.size() < seats) players.add(join(url));
    Clock clock = new Clock(new PerMoveClock().kind(PerMoveClock.KindEnum.PER_MOVE).moveS(300));
    CreateChallengeRequest terms = new CreateChallengeRequest().variant(variant).seats(seats).clock(clock);
    Challenge challenge = new ChallengesApi(players.get(0)).createChallenge(terms.visibility(CreateChallengeRequest.VisibilityEnum.LINK), null);
    for (ApiClient guest : players.subList(1, seats)) {
      challenge = new ChallengesApi(guest).acceptChallenge(challenge.getId(), null, new AcceptChallengeRequest());
    }
    for (int turn = 0;; turn++) {
      Match match = act(players.get(turn % seats), challenge.getMatchId());
      if (match.getResult() != null) {
        System.out.printf("%s: seat %d wins (%s)%n", variant, match.getResult().getWinner(), match.getResult().getReason());
        return;
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    for (int at = 1; at < arguments.length; at++) meet(arguments[0], arguments[at]);
  }
}
