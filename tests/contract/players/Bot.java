// The bot of openapi-generator for Java; it is told what the bots of examples/ are told.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AccountsApi;
import org.openapitools.client.api.ChallengesApi;
import org.openapitools.client.api.MatchesApi;
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

  /** Does what the match waits for, or waits for the others, and says how it is then. */
  static Match act(MatchesApi matches, Match match) throws Exception {
    JsonNode required = null; // every decision has `required` and `example`
    for (Decision decision : match.getDecisions()) {
      JsonNode fields = MAPPER.valueToTree(decision);
      if (required == null && fields.get("required").asBoolean()) required = fields;
    }
    UUID id = match.getId();
    if (required == null) return matches.getMatch(id, 25, match.getVersion(), null);
    Action action = MAPPER.treeToValue(required.get("example"), Action.class);
    SubmitActionRequest order = new SubmitActionRequest().version(match.getVersion()).action(action);
    try {
      matches.submitAction(id, order, null, null, null);
    } catch (ApiException error) {
      // On a conflict, or if the connection was closed meanwhile, the match may have moved on: look again.
      if (error.getCode() != 409 && error.getCode() != 0) throw error;
    }
    return matches.getMatch(id, null, null, null);
  }

  /** A challenge of one's own, or the newest one that a program has made, as soon as there is one; accepted. */
  static Challenge meet(ChallengesApi challenges, String role, String variant) throws Exception {
    while (role.equals("take")) {
      for (Challenge one : challenges.listChallenges(null, variant, null, null, null, true, null, null).getItems()) {
        if (!one.getCreator().getBot()) continue;
        return challenges.acceptChallenge(one.getId(), null, new AcceptChallengeRequest());
      }
      Thread.sleep(500);
    }
    Clock clock = new Clock(new PerMoveClock().kind(PerMoveClock.KindEnum.PER_MOVE).moveS(300));
    return challenges.createChallenge(new CreateChallengeRequest().variant(variant).clock(clock), null);
  }

  /** A match of a variant, to its end. */
  static void play(ApiClient player, String role, String variant) throws Exception {
    ChallengesApi challenges = new ChallengesApi(player);
    MatchesApi matches = new MatchesApi(player);
    Challenge challenge = meet(challenges, role, variant);
    while (challenge.getMatchId() == null) {
      Thread.sleep(500);
      challenge = challenges.getChallenge(challenge.getId());
    }
    Match match = matches.getMatch(challenge.getMatchId(), null, null, null);
    while (match.getResult() == null) match = act(matches, match);
    System.out.printf("%s: seat %d wins (%s)%n", variant, match.getResult().getWinner(), match.getResult().getReason());
  }

  public static void main(String[] arguments) throws Exception {
    ApiClient player = join(arguments[0]);
    for (int at = 2; at < arguments.length; at++) play(player, arguments[1], arguments[at]);
  }
}
